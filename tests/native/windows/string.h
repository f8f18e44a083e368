/* What the headers of ext/ take of <string.h>, to compile them for a system whose C library is not here. */
#include <stddef.h>

void* memcpy(void* to, const void* from, size_t n);
void* memmove(void* to, const void* from, size_t n);
void* memset(void* to, int byte, size_t n);
void* memchr(const void* text, int byte, size_t n);
int memcmp(const void* one, const void* other, size_t n);
