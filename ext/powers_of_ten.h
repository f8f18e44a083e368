/* Written by make_powers.py, which explains it. Do not edit. */
#ifndef SS_POWERS_OF_TEN_H
#define SS_POWERS_OF_TEN_H

#include "portable.h"

#define SS_SMALLEST_POWER (-342)
#define SS_LARGEST_POWER 308

static const uint64_t ss_powers_of_ten[651][2] = {
    {0xeef453d6923bd65aULL, 0x113faa2906a13b3fULL}, /* -342 */
    {0x9558b4661b6565f8ULL, 0x4ac7ca59a424c507ULL}, /* -341 */
    {0xbaaee17fa23ebf76ULL, 0x5d79bcf00d2df649ULL}, /* -340 */
    {0xe95a99df8ace6f53ULL, 0xf4d82c2c107973dcULL}, /* -339 */
    {0x91d8a02bb6c10594ULL, 0x79071b9b8a4be869ULL}, /* -338 */
    {0xb64ec836a47146f9ULL, 0x9748e2826cdee284ULL}, /* -337 */
    {0xe3e27a444d8d98b7ULL, 0xfd1b1b2308169b25ULL}, /* -336 */
    {0x8e6d8c6ab0787f72ULL, 0xfe30f0f5e50e20f7ULL}, /* -335 */
    {0xb208ef855c969f4fULL, 0xbdbd2d335e51a935ULL}, /* -334 */
    {0xde8b2b66b3bc4723ULL, 0xad2c788035e61382ULL}, /* -333 */
    {0x8b16fb203055ac76ULL, 0x4c3bcb5021afcc31ULL}, /* -332 */
    {0xaddcb9e83c6b1793ULL, 0xdf4abe242a1bbf3dULL}, /* -331 */
    {0xd953e8624b85dd78ULL, 0xd71d6dad34a2af0dULL}, /* -330 */
    {0x87d4713d6f33aa6bULL, 0x8672648c40e5ad68ULL}, /* -329 */
    {0xa9c98d8ccb009506ULL, 0x680efdaf511f18c2ULL}, /* -328 */
    {0xd43bf0effdc0ba48ULL, 0x0212bd1b2566def2ULL}, /* -327 */
    {0x84a57695fe98746dULL, 0x014bb630f7604b57ULL}, /* -326 */
    {0xa5ced43b7e3e9188ULL, 0x419ea3bd35385e2dULL}, /* -325 */
    {0xcf42894a5dce35eaULL, 0x52064cac828675b9ULL}, /* -324 */
    {0x818995ce7aa0e1b2ULL, 0x7343efebd1940993ULL}, /* -323 */
    {0xa1ebfb4219491a1fULL, 0x1014ebe6c5f90bf8ULL}, /* -322 */
    {0xca66fa129f9b60a6ULL, 0xd41a26e077774ef6ULL}, /* -321 */
    {0xfd00b897478238d0ULL, 0x8920b098955522b4ULL}, /* -320 */
    {0x9e20735e8cb16382ULL, 0x55b46e5f5d5535b0ULL}, /* -319 */
    {0xc5a890362fddbc62ULL, 0xeb2189f734aa831dULL}, /* -318 */
    {0xf712b443bbd52b7bULL, 0xa5e9ec7501d523e4ULL}, /* -317 */
    {0x9a6bb0aa55653b2dULL, 0x47b233c92125366eULL}, /* -316 */
    {0xc1069cd4eabe89f8ULL, 0x999ec0bb696e840aULL}, /* -315 */
    {0xf148440a256e2c76ULL, 0xc00670ea43ca250dULL}, /* -314 */
    {0x96cd2a865764dbcaULL, 0x380406926a5e5728ULL}, /* -313 */
    {0xbc807527ed3e12bcULL, 0xc605083704f5ecf2ULL}, /* -312 */
    {0xeba09271e88d976bULL, 0xf7864a44c633682eULL}, /* -311 */
    {0x93445b8731587ea3ULL, 0x7ab3ee6afbe0211dULL}, /* -310 */
    {0xb8157268fdae9e4cULL, 0x5960ea05bad82964ULL}, /* -309 */
    {0xe61acf033d1a45dfULL, 0x6fb92487298e33bdULL}, /* -308 */
    {0x8fd0c16206306babULL, 0xa5d3b6d479f8e056ULL}, /* -307 */
    {0xb3c4f1ba87bc8696ULL, 0x8f48a4899877186cULL}, /* -306 */
    {0xe0b62e2929aba83cULL, 0x331acdabfe94de87ULL}, /* -305 */
    {0x8c71dcd9ba0b4925ULL, 0x9ff0c08b7f1d0b14ULL}, /* -304 */
    {0xaf8e5410288e1b6fULL, 0x07ecf0ae5ee44dd9ULL}, /* -303 */
    {0xdb71e91432b1a24aULL, 0xc9e82cd9f69d6150ULL}, /* -302 */
    {0x892731ac9faf056eULL, 0xbe311c083a225cd2ULL}, /* -301 */
    {0xab70fe17c79ac6caULL, 0x6dbd630a48aaf406ULL}, /* -300 */
    {0xd64d3d9db981787dULL, 0x092cbbccdad5b108ULL}, /* -299 */
    {0x85f0468293f0eb4eULL, 0x25bbf56008c58ea5ULL}, /* -298 */
    {0xa76c582338ed2621ULL, 0xaf2af2b80af6f24eULL}, /* -297 */
    {0xd1476e2c07286faaULL, 0x1af5af660db4aee1ULL}, /* -296 */
    {0x82cca4db847945caULL, 0x50d98d9fc890ed4dULL}, /* -295 */
    {0xa37fce126597973cULL, 0xe50ff107bab528a0ULL}, /* -294 */
    {0xcc5fc196fefd7d0cULL, 0x1e53ed49a96272c8ULL}, /* -293 */
    {0xff77b1fcbebcdc4fULL, 0x25e8e89c13bb0f7aULL}, /* -292 */
    {0x9faacf3df73609b1ULL, 0x77b191618c54e9acULL}, /* -291 */
    {0xc795830d75038c1dULL, 0xd59df5b9ef6a2417ULL}, /* -290 */
    {0xf97ae3d0d2446f25ULL, 0x4b0573286b44ad1dULL}, /* -289 */
    {0x9becce62836ac577ULL, 0x4ee367f9430aec32ULL}, /* -288 */
    {0xc2e801fb244576d5ULL, 0x229c41f793cda73fULL}, /* -287 */
    {0xf3a20279ed56d48aULL, 0x6b43527578c1110fULL}, /* -286 */
    {0x9845418c345644d6ULL, 0x830a13896b78aaa9ULL}, /* -285 */
    {0xbe5691ef416bd60cULL, 0x23cc986bc656d553ULL}, /* -284 */
    {0xedec366b11c6cb8fULL, 0x2cbfbe86b7ec8aa8ULL}, /* -283 */
    {0x94b3a202eb1c3f39ULL, 0x7bf7d71432f3d6a9ULL}, /* -282 */
    {0xb9e08a83a5e34f07ULL, 0xdaf5ccd93fb0cc53ULL}, /* -281 */
    {0xe858ad248f5c22c9ULL, 0xd1b3400f8f9cff68ULL}, /* -280 */
    {0x91376c36d99995beULL, 0x23100809b9c21fa1ULL}, /* -279 */
    {0xb58547448ffffb2dULL, 0xabd40a0c2832a78aULL}, /* -278 */
    {0xe2e69915b3fff9f9ULL, 0x16c90c8f323f516cULL}, /* -277 */
    {0x8dd01fad907ffc3bULL, 0xae3da7d97f6792e3ULL}, /* -276 */
    {0xb1442798f49ffb4aULL, 0x99cd11cfdf41779cULL}, /* -275 */
    {0xdd95317f31c7fa1dULL, 0x40405643d711d583ULL}, /* -274 */
    {0x8a7d3eef7f1cfc52ULL, 0x482835ea666b2572ULL}, /* -273 */
    {0xad1c8eab5ee43b66ULL, 0xda3243650005eecfULL}, /* -272 */
    {0xd863b256369d4a40ULL, 0x90bed43e40076a82ULL}, /* -271 */
    {0x873e4f75e2224e68ULL, 0x5a7744a6e804a291ULL}, /* -270 */
    {0xa90de3535aaae202ULL, 0x711515d0a205cb36ULL}, /* -269 */
    {0xd3515c2831559a83ULL, 0x0d5a5b44ca873e03ULL}, /* -268 */
    {0x8412d9991ed58091ULL, 0xe858790afe9486c2ULL}, /* -267 */
    {0xa5178fff668ae0b6ULL, 0x626e974dbe39a872ULL}, /* -266 */
    {0xce5d73ff402d98e3ULL, 0xfb0a3d212dc8128fULL}, /* -265 */
    {0x80fa687f881c7f8eULL, 0x7ce66634bc9d0b99ULL}, /* -264 */
    {0xa139029f6a239f72ULL, 0x1c1fffc1ebc44e80ULL}, /* -263 */
    {0xc987434744ac874eULL, 0xa327ffb266b56220ULL}, /* -262 */
    {0xfbe9141915d7a922ULL, 0x4bf1ff9f0062baa8ULL}, /* -261 */
    {0x9d71ac8fada6c9b5ULL, 0x6f773fc3603db4a9ULL}, /* -260 */
    {0xc4ce17b399107c22ULL, 0xcb550fb4384d21d3ULL}, /* -259 */
    {0xf6019da07f549b2bULL, 0x7e2a53a146606a48ULL}, /* -258 */
    {0x99c102844f94e0fbULL, 0x2eda7444cbfc426dULL}, /* -257 */
    {0xc0314325637a1939ULL, 0xfa911155fefb5308ULL}, /* -256 */
    {0xf03d93eebc589f88ULL, 0x793555ab7eba27caULL}, /* -255 */
    {0x96267c7535b763b5ULL, 0x4bc1558b2f3458deULL}, /* -254 */
    {0xbbb01b9283253ca2ULL, 0x9eb1aaedfb016f16ULL}, /* -253 */
    {0xea9c227723ee8bcbULL, 0x465e15a979c1cadcULL}, /* -252 */
    {0x92a1958a7675175fULL, 0x0bfacd89ec191ec9ULL}, /* -251 */
    {0xb749faed14125d36ULL, 0xcef980ec671f667bULL}, /* -250 */
    {0xe51c79a85916f484ULL, 0x82b7e12780e7401aULL}, /* -249 */
    {0x8f31cc0937ae58d2ULL, 0xd1b2ecb8b0908810ULL}, /* -248 */
    {0xb2fe3f0b8599ef07ULL, 0x861fa7e6dcb4aa15ULL}, /* -247 */
    {0xdfbdcece67006ac9ULL, 0x67a791e093e1d49aULL}, /* -246 */
    {0x8bd6a141006042bdULL, 0xe0c8bb2c5c6d24e0ULL}, /* -245 */
    {0xaecc49914078536dULL, 0x58fae9f773886e18ULL}, /* -244 */
    {0xda7f5bf590966848ULL, 0xaf39a475506a899eULL}, /* -243 */
    {0x888f99797a5e012dULL, 0x6d8406c952429603ULL}, /* -242 */
    {0xaab37fd7d8f58178ULL, 0xc8e5087ba6d33b83ULL}, /* -241 */
    {0xd5605fcdcf32e1d6ULL, 0xfb1e4a9a90880a64ULL}, /* -240 */
    {0x855c3be0a17fcd26ULL, 0x5cf2eea09a55067fULL}, /* -239 */
    {0xa6b34ad8c9dfc06fULL, 0xf42faa48c0ea481eULL}, /* -238 */
    {0xd0601d8efc57b08bULL, 0xf13b94daf124da26ULL}, /* -237 */
    {0x823c12795db6ce57ULL, 0x76c53d08d6b70858ULL}, /* -236 */
    {0xa2cb1717b52481edULL, 0x54768c4b0c64ca6eULL}, /* -235 */
    {0xcb7ddcdda26da268ULL, 0xa9942f5dcf7dfd09ULL}, /* -234 */
    {0xfe5d54150b090b02ULL, 0xd3f93b35435d7c4cULL}, /* -233 */
    {0x9efa548d26e5a6e1ULL, 0xc47bc5014a1a6dafULL}, /* -232 */
    {0xc6b8e9b0709f109aULL, 0x359ab6419ca1091bULL}, /* -231 */
    {0xf867241c8cc6d4c0ULL, 0xc30163d203c94b62ULL}, /* -230 */
    {0x9b407691d7fc44f8ULL, 0x79e0de63425dcf1dULL}, /* -229 */
    {0xc21094364dfb5636ULL, 0x985915fc12f542e4ULL}, /* -228 */
    {0xf294b943e17a2bc4ULL, 0x3e6f5b7b17b2939dULL}, /* -227 */
    {0x979cf3ca6cec5b5aULL, 0xa705992ceecf9c42ULL}, /* -226 */
    {0xbd8430bd08277231ULL, 0x50c6ff782a838353ULL}, /* -225 */
    {0xece53cec4a314ebdULL, 0xa4f8bf5635246428ULL}, /* -224 */
    {0x940f4613ae5ed136ULL, 0x871b7795e136be99ULL}, /* -223 */
    {0xb913179899f68584ULL, 0x28e2557b59846e3fULL}, /* -222 */
    {0xe757dd7ec07426e5ULL, 0x331aeada2fe589cfULL}, /* -221 */
    {0x9096ea6f3848984fULL, 0x3ff0d2c85def7621ULL}, /* -220 */
    {0xb4bca50b065abe63ULL, 0x0fed077a756b53a9ULL}, /* -219 */
    {0xe1ebce4dc7f16dfbULL, 0xd3e8495912c62894ULL}, /* -218 */
    {0x8d3360f09cf6e4bdULL, 0x64712dd7abbbd95cULL}, /* -217 */
    {0xb080392cc4349decULL, 0xbd8d794d96aacfb3ULL}, /* -216 */
    {0xdca04777f541c567ULL, 0xecf0d7a0fc5583a0ULL}, /* -215 */
    {0x89e42caaf9491b60ULL, 0xf41686c49db57244ULL}, /* -214 */
    {0xac5d37d5b79b6239ULL, 0x311c2875c522ced5ULL}, /* -213 */
    {0xd77485cb25823ac7ULL, 0x7d633293366b828bULL}, /* -212 */
    {0x86a8d39ef77164bcULL, 0xae5dff9c02033197ULL}, /* -211 */
    {0xa8530886b54dbdebULL, 0xd9f57f830283fdfcULL}, /* -210 */
    {0xd267caa862a12d66ULL, 0xd072df63c324fd7bULL}, /* -209 */
    {0x8380dea93da4bc60ULL, 0x4247cb9e59f71e6dULL}, /* -208 */
    {0xa46116538d0deb78ULL, 0x52d9be85f074e608ULL}, /* -207 */
    {0xcd795be870516656ULL, 0x67902e276c921f8bULL}, /* -206 */
    {0x806bd9714632dff6ULL, 0x00ba1cd8a3db53b6ULL}, /* -205 */
    {0xa086cfcd97bf97f3ULL, 0x80e8a40eccd228a4ULL}, /* -204 */
    {0xc8a883c0fdaf7df0ULL, 0x6122cd128006b2cdULL}, /* -203 */
    {0xfad2a4b13d1b5d6cULL, 0x796b805720085f81ULL}, /* -202 */
    {0x9cc3a6eec6311a63ULL, 0xcbe3303674053bb0ULL}, /* -201 */
    {0xc3f490aa77bd60fcULL, 0xbedbfc4411068a9cULL}, /* -200 */
    {0xf4f1b4d515acb93bULL, 0xee92fb5515482d44ULL}, /* -199 */
    {0x991711052d8bf3c5ULL, 0x751bdd152d4d1c4aULL}, /* -198 */
    {0xbf5cd54678eef0b6ULL, 0xd262d45a78a0635dULL}, /* -197 */
    {0xef340a98172aace4ULL, 0x86fb897116c87c34ULL}, /* -196 */
    {0x9580869f0e7aac0eULL, 0xd45d35e6ae3d4da0ULL}, /* -195 */
    {0xbae0a846d2195712ULL, 0x8974836059cca109ULL}, /* -194 */
    {0xe998d258869facd7ULL, 0x2bd1a438703fc94bULL}, /* -193 */
    {0x91ff83775423cc06ULL, 0x7b6306a34627ddcfULL}, /* -192 */
    {0xb67f6455292cbf08ULL, 0x1a3bc84c17b1d542ULL}, /* -191 */
    {0xe41f3d6a7377eecaULL, 0x20caba5f1d9e4a93ULL}, /* -190 */
    {0x8e938662882af53eULL, 0x547eb47b7282ee9cULL}, /* -189 */
    {0xb23867fb2a35b28dULL, 0xe99e619a4f23aa43ULL}, /* -188 */
    {0xdec681f9f4c31f31ULL, 0x6405fa00e2ec94d4ULL}, /* -187 */
    {0x8b3c113c38f9f37eULL, 0xde83bc408dd3dd04ULL}, /* -186 */
    {0xae0b158b4738705eULL, 0x9624ab50b148d445ULL}, /* -185 */
    {0xd98ddaee19068c76ULL, 0x3badd624dd9b0957ULL}, /* -184 */
    {0x87f8a8d4cfa417c9ULL, 0xe54ca5d70a80e5d6ULL}, /* -183 */
    {0xa9f6d30a038d1dbcULL, 0x5e9fcf4ccd211f4cULL}, /* -182 */
    {0xd47487cc8470652bULL, 0x7647c3200069671fULL}, /* -181 */
    {0x84c8d4dfd2c63f3bULL, 0x29ecd9f40041e073ULL}, /* -180 */
    {0xa5fb0a17c777cf09ULL, 0xf468107100525890ULL}, /* -179 */
    {0xcf79cc9db955c2ccULL, 0x7182148d4066eeb4ULL}, /* -178 */
    {0x81ac1fe293d599bfULL, 0xc6f14cd848405530ULL}, /* -177 */
    {0xa21727db38cb002fULL, 0xb8ada00e5a506a7cULL}, /* -176 */
    {0xca9cf1d206fdc03bULL, 0xa6d90811f0e4851cULL}, /* -175 */
    {0xfd442e4688bd304aULL, 0x908f4a166d1da663ULL}, /* -174 */
    {0x9e4a9cec15763e2eULL, 0x9a598e4e043287feULL}, /* -173 */
    {0xc5dd44271ad3cdbaULL, 0x40eff1e1853f29fdULL}, /* -172 */
    {0xf7549530e188c128ULL, 0xd12bee59e68ef47cULL}, /* -171 */
    {0x9a94dd3e8cf578b9ULL, 0x82bb74f8301958ceULL}, /* -170 */
    {0xc13a148e3032d6e7ULL, 0xe36a52363c1faf01ULL}, /* -169 */
    {0xf18899b1bc3f8ca1ULL, 0xdc44e6c3cb279ac1ULL}, /* -168 */
    {0x96f5600f15a7b7e5ULL, 0x29ab103a5ef8c0b9ULL}, /* -167 */
    {0xbcb2b812db11a5deULL, 0x7415d448f6b6f0e7ULL}, /* -166 */
    {0xebdf661791d60f56ULL, 0x111b495b3464ad21ULL}, /* -165 */
    {0x936b9fcebb25c995ULL, 0xcab10dd900beec34ULL}, /* -164 */
    {0xb84687c269ef3bfbULL, 0x3d5d514f40eea742ULL}, /* -163 */
    {0xe65829b3046b0afaULL, 0x0cb4a5a3112a5112ULL}, /* -162 */
    {0x8ff71a0fe2c2e6dcULL, 0x47f0e785eaba72abULL}, /* -161 */
    {0xb3f4e093db73a093ULL, 0x59ed216765690f56ULL}, /* -160 */
    {0xe0f218b8d25088b8ULL, 0x306869c13ec3532cULL}, /* -159 */
    {0x8c974f7383725573ULL, 0x1e414218c73a13fbULL}, /* -158 */
    {0xafbd2350644eeacfULL, 0xe5d1929ef90898faULL}, /* -157 */
    {0xdbac6c247d62a583ULL, 0xdf45f746b74abf39ULL}, /* -156 */
    {0x894bc396ce5da772ULL, 0x6b8bba8c328eb783ULL}, /* -155 */
    {0xab9eb47c81f5114fULL, 0x066ea92f3f326564ULL}, /* -154 */
    {0xd686619ba27255a2ULL, 0xc80a537b0efefebdULL}, /* -153 */
    {0x8613fd0145877585ULL, 0xbd06742ce95f5f36ULL}, /* -152 */
    {0xa798fc4196e952e7ULL, 0x2c48113823b73704ULL}, /* -151 */
    {0xd17f3b51fca3a7a0ULL, 0xf75a15862ca504c5ULL}, /* -150 */
    {0x82ef85133de648c4ULL, 0x9a984d73dbe722fbULL}, /* -149 */
    {0xa3ab66580d5fdaf5ULL, 0xc13e60d0d2e0ebbaULL}, /* -148 */
    {0xcc963fee10b7d1b3ULL, 0x318df905079926a8ULL}, /* -147 */
    {0xffbbcfe994e5c61fULL, 0xfdf17746497f7052ULL}, /* -146 */
    {0x9fd561f1fd0f9bd3ULL, 0xfeb6ea8bedefa633ULL}, /* -145 */
    {0xc7caba6e7c5382c8ULL, 0xfe64a52ee96b8fc0ULL}, /* -144 */
    {0xf9bd690a1b68637bULL, 0x3dfdce7aa3c673b0ULL}, /* -143 */
    {0x9c1661a651213e2dULL, 0x06bea10ca65c084eULL}, /* -142 */
    {0xc31bfa0fe5698db8ULL, 0x486e494fcff30a62ULL}, /* -141 */
    {0xf3e2f893dec3f126ULL, 0x5a89dba3c3efccfaULL}, /* -140 */
    {0x986ddb5c6b3a76b7ULL, 0xf89629465a75e01cULL}, /* -139 */
    {0xbe89523386091465ULL, 0xf6bbb397f1135823ULL}, /* -138 */
    {0xee2ba6c0678b597fULL, 0x746aa07ded582e2cULL}, /* -137 */
    {0x94db483840b717efULL, 0xa8c2a44eb4571cdcULL}, /* -136 */
    {0xba121a4650e4ddebULL, 0x92f34d62616ce413ULL}, /* -135 */
    {0xe896a0d7e51e1566ULL, 0x77b020baf9c81d17ULL}, /* -134 */
    {0x915e2486ef32cd60ULL, 0x0ace1474dc1d122eULL}, /* -133 */
    {0xb5b5ada8aaff80b8ULL, 0x0d819992132456baULL}, /* -132 */
    {0xe3231912d5bf60e6ULL, 0x10e1fff697ed6c69ULL}, /* -131 */
    {0x8df5efabc5979c8fULL, 0xca8d3ffa1ef463c1ULL}, /* -130 */
    {0xb1736b96b6fd83b3ULL, 0xbd308ff8a6b17cb2ULL}, /* -129 */
    {0xddd0467c64bce4a0ULL, 0xac7cb3f6d05ddbdeULL}, /* -128 */
    {0x8aa22c0dbef60ee4ULL, 0x6bcdf07a423aa96bULL}, /* -127 */
    {0xad4ab7112eb3929dULL, 0x86c16c98d2c953c6ULL}, /* -126 */
    {0xd89d64d57a607744ULL, 0xe871c7bf077ba8b7ULL}, /* -125 */
    {0x87625f056c7c4a8bULL, 0x11471cd764ad4972ULL}, /* -124 */
    {0xa93af6c6c79b5d2dULL, 0xd598e40d3dd89bcfULL}, /* -123 */
    {0xd389b47879823479ULL, 0x4aff1d108d4ec2c3ULL}, /* -122 */
    {0x843610cb4bf160cbULL, 0xcedf722a585139baULL}, /* -121 */
    {0xa54394fe1eedb8feULL, 0xc2974eb4ee658828ULL}, /* -120 */
    {0xce947a3da6a9273eULL, 0x733d226229feea32ULL}, /* -119 */
    {0x811ccc668829b887ULL, 0x0806357d5a3f525fULL}, /* -118 */
    {0xa163ff802a3426a8ULL, 0xca07c2dcb0cf26f7ULL}, /* -117 */
    {0xc9bcff6034c13052ULL, 0xfc89b393dd02f0b5ULL}, /* -116 */
    {0xfc2c3f3841f17c67ULL, 0xbbac2078d443ace2ULL}, /* -115 */
    {0x9d9ba7832936edc0ULL, 0xd54b944b84aa4c0dULL}, /* -114 */
    {0xc5029163f384a931ULL, 0x0a9e795e65d4df11ULL}, /* -113 */
    {0xf64335bcf065d37dULL, 0x4d4617b5ff4a16d5ULL}, /* -112 */
    {0x99ea0196163fa42eULL, 0x504bced1bf8e4e45ULL}, /* -111 */
    {0xc06481fb9bcf8d39ULL, 0xe45ec2862f71e1d6ULL}, /* -110 */
    {0xf07da27a82c37088ULL, 0x5d767327bb4e5a4cULL}, /* -109 */
    {0x964e858c91ba2655ULL, 0x3a6a07f8d510f86fULL}, /* -108 */
    {0xbbe226efb628afeaULL, 0x890489f70a55368bULL}, /* -107 */
    {0xeadab0aba3b2dbe5ULL, 0x2b45ac74ccea842eULL}, /* -106 */
    {0x92c8ae6b464fc96fULL, 0x3b0b8bc90012929dULL}, /* -105 */
    {0xb77ada0617e3bbcbULL, 0x09ce6ebb40173744ULL}, /* -104 */
    {0xe55990879ddcaabdULL, 0xcc420a6a101d0515ULL}, /* -103 */
    {0x8f57fa54c2a9eab6ULL, 0x9fa946824a12232dULL}, /* -102 */
    {0xb32df8e9f3546564ULL, 0x47939822dc96abf9ULL}, /* -101 */
    {0xdff9772470297ebdULL, 0x59787e2b93bc56f7ULL}, /* -100 */
    {0x8bfbea76c619ef36ULL, 0x57eb4edb3c55b65aULL}, /* -99 */
    {0xaefae51477a06b03ULL, 0xede622920b6b23f1ULL}, /* -98 */
    {0xdab99e59958885c4ULL, 0xe95fab368e45ecedULL}, /* -97 */
    {0x88b402f7fd75539bULL, 0x11dbcb0218ebb414ULL}, /* -96 */
    {0xaae103b5fcd2a881ULL, 0xd652bdc29f26a119ULL}, /* -95 */
    {0xd59944a37c0752a2ULL, 0x4be76d3346f0495fULL}, /* -94 */
    {0x857fcae62d8493a5ULL, 0x6f70a4400c562ddbULL}, /* -93 */
    {0xa6dfbd9fb8e5b88eULL, 0xcb4ccd500f6bb952ULL}, /* -92 */
    {0xd097ad07a71f26b2ULL, 0x7e2000a41346a7a7ULL}, /* -91 */
    {0x825ecc24c873782fULL, 0x8ed400668c0c28c8ULL}, /* -90 */
    {0xa2f67f2dfa90563bULL, 0x728900802f0f32faULL}, /* -89 */
    {0xcbb41ef979346bcaULL, 0x4f2b40a03ad2ffb9ULL}, /* -88 */
    {0xfea126b7d78186bcULL, 0xe2f610c84987bfa8ULL}, /* -87 */
    {0x9f24b832e6b0f436ULL, 0x0dd9ca7d2df4d7c9ULL}, /* -86 */
    {0xc6ede63fa05d3143ULL, 0x91503d1c79720dbbULL}, /* -85 */
    {0xf8a95fcf88747d94ULL, 0x75a44c6397ce912aULL}, /* -84 */
    {0x9b69dbe1b548ce7cULL, 0xc986afbe3ee11abaULL}, /* -83 */
    {0xc24452da229b021bULL, 0xfbe85badce996168ULL}, /* -82 */
    {0xf2d56790ab41c2a2ULL, 0xfae27299423fb9c3ULL}, /* -81 */
    {0x97c560ba6b0919a5ULL, 0xdccd879fc967d41aULL}, /* -80 */
    {0xbdb6b8e905cb600fULL, 0x5400e987bbc1c920ULL}, /* -79 */
    {0xed246723473e3813ULL, 0x290123e9aab23b68ULL}, /* -78 */
    {0x9436c0760c86e30bULL, 0xf9a0b6720aaf6521ULL}, /* -77 */
    {0xb94470938fa89bceULL, 0xf808e40e8d5b3e69ULL}, /* -76 */
    {0xe7958cb87392c2c2ULL, 0xb60b1d1230b20e04ULL}, /* -75 */
    {0x90bd77f3483bb9b9ULL, 0xb1c6f22b5e6f48c2ULL}, /* -74 */
    {0xb4ecd5f01a4aa828ULL, 0x1e38aeb6360b1af3ULL}, /* -73 */
    {0xe2280b6c20dd5232ULL, 0x25c6da63c38de1b0ULL}, /* -72 */
    {0x8d590723948a535fULL, 0x579c487e5a38ad0eULL}, /* -71 */
    {0xb0af48ec79ace837ULL, 0x2d835a9df0c6d851ULL}, /* -70 */
    {0xdcdb1b2798182244ULL, 0xf8e431456cf88e65ULL}, /* -69 */
    {0x8a08f0f8bf0f156bULL, 0x1b8e9ecb641b58ffULL}, /* -68 */
    {0xac8b2d36eed2dac5ULL, 0xe272467e3d222f3fULL}, /* -67 */
    {0xd7adf884aa879177ULL, 0x5b0ed81dcc6abb0fULL}, /* -66 */
    {0x86ccbb52ea94baeaULL, 0x98e947129fc2b4e9ULL}, /* -65 */
    {0xa87fea27a539e9a5ULL, 0x3f2398d747b36224ULL}, /* -64 */
    {0xd29fe4b18e88640eULL, 0x8eec7f0d19a03aadULL}, /* -63 */
    {0x83a3eeeef9153e89ULL, 0x1953cf68300424acULL}, /* -62 */
    {0xa48ceaaab75a8e2bULL, 0x5fa8c3423c052dd7ULL}, /* -61 */
    {0xcdb02555653131b6ULL, 0x3792f412cb06794dULL}, /* -60 */
    {0x808e17555f3ebf11ULL, 0xe2bbd88bbee40bd0ULL}, /* -59 */
    {0xa0b19d2ab70e6ed6ULL, 0x5b6aceaeae9d0ec4ULL}, /* -58 */
    {0xc8de047564d20a8bULL, 0xf245825a5a445275ULL}, /* -57 */
    {0xfb158592be068d2eULL, 0xeed6e2f0f0d56712ULL}, /* -56 */
    {0x9ced737bb6c4183dULL, 0x55464dd69685606bULL}, /* -55 */
    {0xc428d05aa4751e4cULL, 0xaa97e14c3c26b886ULL}, /* -54 */
    {0xf53304714d9265dfULL, 0xd53dd99f4b3066a8ULL}, /* -53 */
    {0x993fe2c6d07b7fabULL, 0xe546a8038efe4029ULL}, /* -52 */
    {0xbf8fdb78849a5f96ULL, 0xde98520472bdd033ULL}, /* -51 */
    {0xef73d256a5c0f77cULL, 0x963e66858f6d4440ULL}, /* -50 */
    {0x95a8637627989aadULL, 0xdde7001379a44aa8ULL}, /* -49 */
    {0xbb127c53b17ec159ULL, 0x5560c018580d5d52ULL}, /* -48 */
    {0xe9d71b689dde71afULL, 0xaab8f01e6e10b4a6ULL}, /* -47 */
    {0x9226712162ab070dULL, 0xcab3961304ca70e8ULL}, /* -46 */
    {0xb6b00d69bb55c8d1ULL, 0x3d607b97c5fd0d22ULL}, /* -45 */
    {0xe45c10c42a2b3b05ULL, 0x8cb89a7db77c506aULL}, /* -44 */
    {0x8eb98a7a9a5b04e3ULL, 0x77f3608e92adb242ULL}, /* -43 */
    {0xb267ed1940f1c61cULL, 0x55f038b237591ed3ULL}, /* -42 */
    {0xdf01e85f912e37a3ULL, 0x6b6c46dec52f6688ULL}, /* -41 */
    {0x8b61313bbabce2c6ULL, 0x2323ac4b3b3da015ULL}, /* -40 */
    {0xae397d8aa96c1b77ULL, 0xabec975e0a0d081aULL}, /* -39 */
    {0xd9c7dced53c72255ULL, 0x96e7bd358c904a21ULL}, /* -38 */
    {0x881cea14545c7575ULL, 0x7e50d64177da2e54ULL}, /* -37 */
    {0xaa242499697392d2ULL, 0xdde50bd1d5d0b9e9ULL}, /* -36 */
    {0xd4ad2dbfc3d07787ULL, 0x955e4ec64b44e864ULL}, /* -35 */
    {0x84ec3c97da624ab4ULL, 0xbd5af13bef0b113eULL}, /* -34 */
    {0xa6274bbdd0fadd61ULL, 0xecb1ad8aeacdd58eULL}, /* -33 */
    {0xcfb11ead453994baULL, 0x67de18eda5814af2ULL}, /* -32 */
    {0x81ceb32c4b43fcf4ULL, 0x80eacf948770ced7ULL}, /* -31 */
    {0xa2425ff75e14fc31ULL, 0xa1258379a94d028dULL}, /* -30 */
    {0xcad2f7f5359a3b3eULL, 0x096ee45813a04330ULL}, /* -29 */
    {0xfd87b5f28300ca0dULL, 0x8bca9d6e188853fcULL}, /* -28 */
    {0x9e74d1b791e07e48ULL, 0x775ea264cf55347dULL}, /* -27 */
    {0xc612062576589ddaULL, 0x95364afe032a819dULL}, /* -26 */
    {0xf79687aed3eec551ULL, 0x3a83ddbd83f52204ULL}, /* -25 */
    {0x9abe14cd44753b52ULL, 0xc4926a9672793542ULL}, /* -24 */
    {0xc16d9a0095928a27ULL, 0x75b7053c0f178293ULL}, /* -23 */
    {0xf1c90080baf72cb1ULL, 0x5324c68b12dd6338ULL}, /* -22 */
    {0x971da05074da7beeULL, 0xd3f6fc16ebca5e03ULL}, /* -21 */
    {0xbce5086492111aeaULL, 0x88f4bb1ca6bcf584ULL}, /* -20 */
    {0xec1e4a7db69561a5ULL, 0x2b31e9e3d06c32e5ULL}, /* -19 */
    {0x9392ee8e921d5d07ULL, 0x3aff322e62439fcfULL}, /* -18 */
    {0xb877aa3236a4b449ULL, 0x09befeb9fad487c2ULL}, /* -17 */
    {0xe69594bec44de15bULL, 0x4c2ebe687989a9b3ULL}, /* -16 */
    {0x901d7cf73ab0acd9ULL, 0x0f9d37014bf60a10ULL}, /* -15 */
    {0xb424dc35095cd80fULL, 0x538484c19ef38c94ULL}, /* -14 */
    {0xe12e13424bb40e13ULL, 0x2865a5f206b06fb9ULL}, /* -13 */
    {0x8cbccc096f5088cbULL, 0xf93f87b7442e45d3ULL}, /* -12 */
    {0xafebff0bcb24aafeULL, 0xf78f69a51539d748ULL}, /* -11 */
    {0xdbe6fecebdedd5beULL, 0xb573440e5a884d1bULL}, /* -10 */
    {0x89705f4136b4a597ULL, 0x31680a88f8953030ULL}, /* -9 */
    {0xabcc77118461cefcULL, 0xfdc20d2b36ba7c3dULL}, /* -8 */
    {0xd6bf94d5e57a42bcULL, 0x3d32907604691b4cULL}, /* -7 */
    {0x8637bd05af6c69b5ULL, 0xa63f9a49c2c1b10fULL}, /* -6 */
    {0xa7c5ac471b478423ULL, 0x0fcf80dc33721d53ULL}, /* -5 */
    {0xd1b71758e219652bULL, 0xd3c36113404ea4a8ULL}, /* -4 */
    {0x83126e978d4fdf3bULL, 0x645a1cac083126e9ULL}, /* -3 */
    {0xa3d70a3d70a3d70aULL, 0x3d70a3d70a3d70a3ULL}, /* -2 */
    {0xccccccccccccccccULL, 0xccccccccccccccccULL}, /* -1 */
    {0x8000000000000000ULL, 0x0000000000000000ULL}, /* 0 */
    {0xa000000000000000ULL, 0x0000000000000000ULL}, /* 1 */
    {0xc800000000000000ULL, 0x0000000000000000ULL}, /* 2 */
    {0xfa00000000000000ULL, 0x0000000000000000ULL}, /* 3 */
    {0x9c40000000000000ULL, 0x0000000000000000ULL}, /* 4 */
    {0xc350000000000000ULL, 0x0000000000000000ULL}, /* 5 */
    {0xf424000000000000ULL, 0x0000000000000000ULL}, /* 6 */
    {0x9896800000000000ULL, 0x0000000000000000ULL}, /* 7 */
    {0xbebc200000000000ULL, 0x0000000000000000ULL}, /* 8 */
    {0xee6b280000000000ULL, 0x0000000000000000ULL}, /* 9 */
    {0x9502f90000000000ULL, 0x0000000000000000ULL}, /* 10 */
    {0xba43b74000000000ULL, 0x0000000000000000ULL}, /* 11 */
    {0xe8d4a51000000000ULL, 0x0000000000000000ULL}, /* 12 */
    {0x9184e72a00000000ULL, 0x0000000000000000ULL}, /* 13 */
    {0xb5e620f480000000ULL, 0x0000000000000000ULL}, /* 14 */
    {0xe35fa931a0000000ULL, 0x0000000000000000ULL}, /* 15 */
    {0x8e1bc9bf04000000ULL, 0x0000000000000000ULL}, /* 16 */
    {0xb1a2bc2ec5000000ULL, 0x0000000000000000ULL}, /* 17 */
    {0xde0b6b3a76400000ULL, 0x0000000000000000ULL}, /* 18 */
    {0x8ac7230489e80000ULL, 0x0000000000000000ULL}, /* 19 */
    {0xad78ebc5ac620000ULL, 0x0000000000000000ULL}, /* 20 */
    {0xd8d726b7177a8000ULL, 0x0000000000000000ULL}, /* 21 */
    {0x878678326eac9000ULL, 0x0000000000000000ULL}, /* 22 */
    {0xa968163f0a57b400ULL, 0x0000000000000000ULL}, /* 23 */
    {0xd3c21bcecceda100ULL, 0x0000000000000000ULL}, /* 24 */
    {0x84595161401484a0ULL, 0x0000000000000000ULL}, /* 25 */
    {0xa56fa5b99019a5c8ULL, 0x0000000000000000ULL}, /* 26 */
    {0xcecb8f27f4200f3aULL, 0x0000000000000000ULL}, /* 27 */
    {0x813f3978f8940984ULL, 0x4000000000000000ULL}, /* 28 */
    {0xa18f07d736b90be5ULL, 0x5000000000000000ULL}, /* 29 */
    {0xc9f2c9cd04674edeULL, 0xa400000000000000ULL}, /* 30 */
    {0xfc6f7c4045812296ULL, 0x4d00000000000000ULL}, /* 31 */
    {0x9dc5ada82b70b59dULL, 0xf020000000000000ULL}, /* 32 */
    {0xc5371912364ce305ULL, 0x6c28000000000000ULL}, /* 33 */
    {0xf684df56c3e01bc6ULL, 0xc732000000000000ULL}, /* 34 */
    {0x9a130b963a6c115cULL, 0x3c7f400000000000ULL}, /* 35 */
    {0xc097ce7bc90715b3ULL, 0x4b9f100000000000ULL}, /* 36 */
    {0xf0bdc21abb48db20ULL, 0x1e86d40000000000ULL}, /* 37 */
    {0x96769950b50d88f4ULL, 0x1314448000000000ULL}, /* 38 */
    {0xbc143fa4e250eb31ULL, 0x17d955a000000000ULL}, /* 39 */
    {0xeb194f8e1ae525fdULL, 0x5dcfab0800000000ULL}, /* 40 */
    {0x92efd1b8d0cf37beULL, 0x5aa1cae500000000ULL}, /* 41 */
    {0xb7abc627050305adULL, 0xf14a3d9e40000000ULL}, /* 42 */
    {0xe596b7b0c643c719ULL, 0x6d9ccd05d0000000ULL}, /* 43 */
    {0x8f7e32ce7bea5c6fULL, 0xe4820023a2000000ULL}, /* 44 */
    {0xb35dbf821ae4f38bULL, 0xdda2802c8a800000ULL}, /* 45 */
    {0xe0352f62a19e306eULL, 0xd50b2037ad200000ULL}, /* 46 */
    {0x8c213d9da502de45ULL, 0x4526f422cc340000ULL}, /* 47 */
    {0xaf298d050e4395d6ULL, 0x9670b12b7f410000ULL}, /* 48 */
    {0xdaf3f04651d47b4cULL, 0x3c0cdd765f114000ULL}, /* 49 */
    {0x88d8762bf324cd0fULL, 0xa5880a69fb6ac800ULL}, /* 50 */
    {0xab0e93b6efee0053ULL, 0x8eea0d047a457a00ULL}, /* 51 */
    {0xd5d238a4abe98068ULL, 0x72a4904598d6d880ULL}, /* 52 */
    {0x85a36366eb71f041ULL, 0x47a6da2b7f864750ULL}, /* 53 */
    {0xa70c3c40a64e6c51ULL, 0x999090b65f67d924ULL}, /* 54 */
    {0xd0cf4b50cfe20765ULL, 0xfff4b4e3f741cf6dULL}, /* 55 */
    {0x82818f1281ed449fULL, 0xbff8f10e7a8921a4ULL}, /* 56 */
    {0xa321f2d7226895c7ULL, 0xaff72d52192b6a0dULL}, /* 57 */
    {0xcbea6f8ceb02bb39ULL, 0x9bf4f8a69f764490ULL}, /* 58 */
    {0xfee50b7025c36a08ULL, 0x02f236d04753d5b4ULL}, /* 59 */
    {0x9f4f2726179a2245ULL, 0x01d762422c946590ULL}, /* 60 */
    {0xc722f0ef9d80aad6ULL, 0x424d3ad2b7b97ef5ULL}, /* 61 */
    {0xf8ebad2b84e0d58bULL, 0xd2e0898765a7deb2ULL}, /* 62 */
    {0x9b934c3b330c8577ULL, 0x63cc55f49f88eb2fULL}, /* 63 */
    {0xc2781f49ffcfa6d5ULL, 0x3cbf6b71c76b25fbULL}, /* 64 */
    {0xf316271c7fc3908aULL, 0x8bef464e3945ef7aULL}, /* 65 */
    {0x97edd871cfda3a56ULL, 0x97758bf0e3cbb5acULL}, /* 66 */
    {0xbde94e8e43d0c8ecULL, 0x3d52eeed1cbea317ULL}, /* 67 */
    {0xed63a231d4c4fb27ULL, 0x4ca7aaa863ee4bddULL}, /* 68 */
    {0x945e455f24fb1cf8ULL, 0x8fe8caa93e74ef6aULL}, /* 69 */
    {0xb975d6b6ee39e436ULL, 0xb3e2fd538e122b44ULL}, /* 70 */
    {0xe7d34c64a9c85d44ULL, 0x60dbbca87196b616ULL}, /* 71 */
    {0x90e40fbeea1d3a4aULL, 0xbc8955e946fe31cdULL}, /* 72 */
    {0xb51d13aea4a488ddULL, 0x6babab6398bdbe41ULL}, /* 73 */
    {0xe264589a4dcdab14ULL, 0xc696963c7eed2dd1ULL}, /* 74 */
    {0x8d7eb76070a08aecULL, 0xfc1e1de5cf543ca2ULL}, /* 75 */
    {0xb0de65388cc8ada8ULL, 0x3b25a55f43294bcbULL}, /* 76 */
    {0xdd15fe86affad912ULL, 0x49ef0eb713f39ebeULL}, /* 77 */
    {0x8a2dbf142dfcc7abULL, 0x6e3569326c784337ULL}, /* 78 */
    {0xacb92ed9397bf996ULL, 0x49c2c37f07965404ULL}, /* 79 */
    {0xd7e77a8f87daf7fbULL, 0xdc33745ec97be906ULL}, /* 80 */
    {0x86f0ac99b4e8dafdULL, 0x69a028bb3ded71a3ULL}, /* 81 */
    {0xa8acd7c0222311bcULL, 0xc40832ea0d68ce0cULL}, /* 82 */
    {0xd2d80db02aabd62bULL, 0xf50a3fa490c30190ULL}, /* 83 */
    {0x83c7088e1aab65dbULL, 0x792667c6da79e0faULL}, /* 84 */
    {0xa4b8cab1a1563f52ULL, 0x577001b891185938ULL}, /* 85 */
    {0xcde6fd5e09abcf26ULL, 0xed4c0226b55e6f86ULL}, /* 86 */
    {0x80b05e5ac60b6178ULL, 0x544f8158315b05b4ULL}, /* 87 */
    {0xa0dc75f1778e39d6ULL, 0x696361ae3db1c721ULL}, /* 88 */
    {0xc913936dd571c84cULL, 0x03bc3a19cd1e38e9ULL}, /* 89 */
    {0xfb5878494ace3a5fULL, 0x04ab48a04065c723ULL}, /* 90 */
    {0x9d174b2dcec0e47bULL, 0x62eb0d64283f9c76ULL}, /* 91 */
    {0xc45d1df942711d9aULL, 0x3ba5d0bd324f8394ULL}, /* 92 */
    {0xf5746577930d6500ULL, 0xca8f44ec7ee36479ULL}, /* 93 */
    {0x9968bf6abbe85f20ULL, 0x7e998b13cf4e1ecbULL}, /* 94 */
    {0xbfc2ef456ae276e8ULL, 0x9e3fedd8c321a67eULL}, /* 95 */
    {0xefb3ab16c59b14a2ULL, 0xc5cfe94ef3ea101eULL}, /* 96 */
    {0x95d04aee3b80ece5ULL, 0xbba1f1d158724a12ULL}, /* 97 */
    {0xbb445da9ca61281fULL, 0x2a8a6e45ae8edc97ULL}, /* 98 */
    {0xea1575143cf97226ULL, 0xf52d09d71a3293bdULL}, /* 99 */
    {0x924d692ca61be758ULL, 0x593c2626705f9c56ULL}, /* 100 */
    {0xb6e0c377cfa2e12eULL, 0x6f8b2fb00c77836cULL}, /* 101 */
    {0xe498f455c38b997aULL, 0x0b6dfb9c0f956447ULL}, /* 102 */
    {0x8edf98b59a373fecULL, 0x4724bd4189bd5eacULL}, /* 103 */
    {0xb2977ee300c50fe7ULL, 0x58edec91ec2cb657ULL}, /* 104 */
    {0xdf3d5e9bc0f653e1ULL, 0x2f2967b66737e3edULL}, /* 105 */
    {0x8b865b215899f46cULL, 0xbd79e0d20082ee74ULL}, /* 106 */
    {0xae67f1e9aec07187ULL, 0xecd8590680a3aa11ULL}, /* 107 */
    {0xda01ee641a708de9ULL, 0xe80e6f4820cc9495ULL}, /* 108 */
    {0x884134fe908658b2ULL, 0x3109058d147fdcddULL}, /* 109 */
    {0xaa51823e34a7eedeULL, 0xbd4b46f0599fd415ULL}, /* 110 */
    {0xd4e5e2cdc1d1ea96ULL, 0x6c9e18ac7007c91aULL}, /* 111 */
    {0x850fadc09923329eULL, 0x03e2cf6bc604ddb0ULL}, /* 112 */
    {0xa6539930bf6bff45ULL, 0x84db8346b786151cULL}, /* 113 */
    {0xcfe87f7cef46ff16ULL, 0xe612641865679a63ULL}, /* 114 */
    {0x81f14fae158c5f6eULL, 0x4fcb7e8f3f60c07eULL}, /* 115 */
    {0xa26da3999aef7749ULL, 0xe3be5e330f38f09dULL}, /* 116 */
    {0xcb090c8001ab551cULL, 0x5cadf5bfd3072cc5ULL}, /* 117 */
    {0xfdcb4fa002162a63ULL, 0x73d9732fc7c8f7f6ULL}, /* 118 */
    {0x9e9f11c4014dda7eULL, 0x2867e7fddcdd9afaULL}, /* 119 */
    {0xc646d63501a1511dULL, 0xb281e1fd541501b8ULL}, /* 120 */
    {0xf7d88bc24209a565ULL, 0x1f225a7ca91a4226ULL}, /* 121 */
    {0x9ae757596946075fULL, 0x3375788de9b06958ULL}, /* 122 */
    {0xc1a12d2fc3978937ULL, 0x0052d6b1641c83aeULL}, /* 123 */
    {0xf209787bb47d6b84ULL, 0xc0678c5dbd23a49aULL}, /* 124 */
    {0x9745eb4d50ce6332ULL, 0xf840b7ba963646e0ULL}, /* 125 */
    {0xbd176620a501fbffULL, 0xb650e5a93bc3d898ULL}, /* 126 */
    {0xec5d3fa8ce427affULL, 0xa3e51f138ab4cebeULL}, /* 127 */
    {0x93ba47c980e98cdfULL, 0xc66f336c36b10137ULL}, /* 128 */
    {0xb8a8d9bbe123f017ULL, 0xb80b0047445d4184ULL}, /* 129 */
    {0xe6d3102ad96cec1dULL, 0xa60dc059157491e5ULL}, /* 130 */
    {0x9043ea1ac7e41392ULL, 0x87c89837ad68db2fULL}, /* 131 */
    {0xb454e4a179dd1877ULL, 0x29babe4598c311fbULL}, /* 132 */
    {0xe16a1dc9d8545e94ULL, 0xf4296dd6fef3d67aULL}, /* 133 */
    {0x8ce2529e2734bb1dULL, 0x1899e4a65f58660cULL}, /* 134 */
    {0xb01ae745b101e9e4ULL, 0x5ec05dcff72e7f8fULL}, /* 135 */
    {0xdc21a1171d42645dULL, 0x76707543f4fa1f73ULL}, /* 136 */
    {0x899504ae72497ebaULL, 0x6a06494a791c53a8ULL}, /* 137 */
    {0xabfa45da0edbde69ULL, 0x0487db9d17636892ULL}, /* 138 */
    {0xd6f8d7509292d603ULL, 0x45a9d2845d3c42b6ULL}, /* 139 */
    {0x865b86925b9bc5c2ULL, 0x0b8a2392ba45a9b2ULL}, /* 140 */
    {0xa7f26836f282b732ULL, 0x8e6cac7768d7141eULL}, /* 141 */
    {0xd1ef0244af2364ffULL, 0x3207d795430cd926ULL}, /* 142 */
    {0x8335616aed761f1fULL, 0x7f44e6bd49e807b8ULL}, /* 143 */
    {0xa402b9c5a8d3a6e7ULL, 0x5f16206c9c6209a6ULL}, /* 144 */
    {0xcd036837130890a1ULL, 0x36dba887c37a8c0fULL}, /* 145 */
    {0x802221226be55a64ULL, 0xc2494954da2c9789ULL}, /* 146 */
    {0xa02aa96b06deb0fdULL, 0xf2db9baa10b7bd6cULL}, /* 147 */
    {0xc83553c5c8965d3dULL, 0x6f92829494e5acc7ULL}, /* 148 */
    {0xfa42a8b73abbf48cULL, 0xcb772339ba1f17f9ULL}, /* 149 */
    {0x9c69a97284b578d7ULL, 0xff2a760414536efbULL}, /* 150 */
    {0xc38413cf25e2d70dULL, 0xfef5138519684abaULL}, /* 151 */
    {0xf46518c2ef5b8cd1ULL, 0x7eb258665fc25d69ULL}, /* 152 */
    {0x98bf2f79d5993802ULL, 0xef2f773ffbd97a61ULL}, /* 153 */
    {0xbeeefb584aff8603ULL, 0xaafb550ffacfd8faULL}, /* 154 */
    {0xeeaaba2e5dbf6784ULL, 0x95ba2a53f983cf38ULL}, /* 155 */
    {0x952ab45cfa97a0b2ULL, 0xdd945a747bf26183ULL}, /* 156 */
    {0xba756174393d88dfULL, 0x94f971119aeef9e4ULL}, /* 157 */
    {0xe912b9d1478ceb17ULL, 0x7a37cd5601aab85dULL}, /* 158 */
    {0x91abb422ccb812eeULL, 0xac62e055c10ab33aULL}, /* 159 */
    {0xb616a12b7fe617aaULL, 0x577b986b314d6009ULL}, /* 160 */
    {0xe39c49765fdf9d94ULL, 0xed5a7e85fda0b80bULL}, /* 161 */
    {0x8e41ade9fbebc27dULL, 0x14588f13be847307ULL}, /* 162 */
    {0xb1d219647ae6b31cULL, 0x596eb2d8ae258fc8ULL}, /* 163 */
    {0xde469fbd99a05fe3ULL, 0x6fca5f8ed9aef3bbULL}, /* 164 */
    {0x8aec23d680043beeULL, 0x25de7bb9480d5854ULL}, /* 165 */
    {0xada72ccc20054ae9ULL, 0xaf561aa79a10ae6aULL}, /* 166 */
    {0xd910f7ff28069da4ULL, 0x1b2ba1518094da04ULL}, /* 167 */
    {0x87aa9aff79042286ULL, 0x90fb44d2f05d0842ULL}, /* 168 */
    {0xa99541bf57452b28ULL, 0x353a1607ac744a53ULL}, /* 169 */
    {0xd3fa922f2d1675f2ULL, 0x42889b8997915ce8ULL}, /* 170 */
    {0x847c9b5d7c2e09b7ULL, 0x69956135febada11ULL}, /* 171 */
    {0xa59bc234db398c25ULL, 0x43fab9837e699095ULL}, /* 172 */
    {0xcf02b2c21207ef2eULL, 0x94f967e45e03f4bbULL}, /* 173 */
    {0x8161afb94b44f57dULL, 0x1d1be0eebac278f5ULL}, /* 174 */
    {0xa1ba1ba79e1632dcULL, 0x6462d92a69731732ULL}, /* 175 */
    {0xca28a291859bbf93ULL, 0x7d7b8f7503cfdcfeULL}, /* 176 */
    {0xfcb2cb35e702af78ULL, 0x5cda735244c3d43eULL}, /* 177 */
    {0x9defbf01b061adabULL, 0x3a0888136afa64a7ULL}, /* 178 */
    {0xc56baec21c7a1916ULL, 0x088aaa1845b8fdd0ULL}, /* 179 */
    {0xf6c69a72a3989f5bULL, 0x8aad549e57273d45ULL}, /* 180 */
    {0x9a3c2087a63f6399ULL, 0x36ac54e2f678864bULL}, /* 181 */
    {0xc0cb28a98fcf3c7fULL, 0x84576a1bb416a7ddULL}, /* 182 */
    {0xf0fdf2d3f3c30b9fULL, 0x656d44a2a11c51d5ULL}, /* 183 */
    {0x969eb7c47859e743ULL, 0x9f644ae5a4b1b325ULL}, /* 184 */
    {0xbc4665b596706114ULL, 0x873d5d9f0dde1feeULL}, /* 185 */
    {0xeb57ff22fc0c7959ULL, 0xa90cb506d155a7eaULL}, /* 186 */
    {0x9316ff75dd87cbd8ULL, 0x09a7f12442d588f2ULL}, /* 187 */
    {0xb7dcbf5354e9beceULL, 0x0c11ed6d538aeb2fULL}, /* 188 */
    {0xe5d3ef282a242e81ULL, 0x8f1668c8a86da5faULL}, /* 189 */
    {0x8fa475791a569d10ULL, 0xf96e017d694487bcULL}, /* 190 */
    {0xb38d92d760ec4455ULL, 0x37c981dcc395a9acULL}, /* 191 */
    {0xe070f78d3927556aULL, 0x85bbe253f47b1417ULL}, /* 192 */
    {0x8c469ab843b89562ULL, 0x93956d7478ccec8eULL}, /* 193 */
    {0xaf58416654a6babbULL, 0x387ac8d1970027b2ULL}, /* 194 */
    {0xdb2e51bfe9d0696aULL, 0x06997b05fcc0319eULL}, /* 195 */
    {0x88fcf317f22241e2ULL, 0x441fece3bdf81f03ULL}, /* 196 */
    {0xab3c2fddeeaad25aULL, 0xd527e81cad7626c3ULL}, /* 197 */
    {0xd60b3bd56a5586f1ULL, 0x8a71e223d8d3b074ULL}, /* 198 */
    {0x85c7056562757456ULL, 0xf6872d5667844e49ULL}, /* 199 */
    {0xa738c6bebb12d16cULL, 0xb428f8ac016561dbULL}, /* 200 */
    {0xd106f86e69d785c7ULL, 0xe13336d701beba52ULL}, /* 201 */
    {0x82a45b450226b39cULL, 0xecc0024661173473ULL}, /* 202 */
    {0xa34d721642b06084ULL, 0x27f002d7f95d0190ULL}, /* 203 */
    {0xcc20ce9bd35c78a5ULL, 0x31ec038df7b441f4ULL}, /* 204 */
    {0xff290242c83396ceULL, 0x7e67047175a15271ULL}, /* 205 */
    {0x9f79a169bd203e41ULL, 0x0f0062c6e984d386ULL}, /* 206 */
    {0xc75809c42c684dd1ULL, 0x52c07b78a3e60868ULL}, /* 207 */
    {0xf92e0c3537826145ULL, 0xa7709a56ccdf8a82ULL}, /* 208 */
    {0x9bbcc7a142b17ccbULL, 0x88a66076400bb691ULL}, /* 209 */
    {0xc2abf989935ddbfeULL, 0x6acff893d00ea435ULL}, /* 210 */
    {0xf356f7ebf83552feULL, 0x0583f6b8c4124d43ULL}, /* 211 */
    {0x98165af37b2153deULL, 0xc3727a337a8b704aULL}, /* 212 */
    {0xbe1bf1b059e9a8d6ULL, 0x744f18c0592e4c5cULL}, /* 213 */
    {0xeda2ee1c7064130cULL, 0x1162def06f79df73ULL}, /* 214 */
    {0x9485d4d1c63e8be7ULL, 0x8addcb5645ac2ba8ULL}, /* 215 */
    {0xb9a74a0637ce2ee1ULL, 0x6d953e2bd7173692ULL}, /* 216 */
    {0xe8111c87c5c1ba99ULL, 0xc8fa8db6ccdd0437ULL}, /* 217 */
    {0x910ab1d4db9914a0ULL, 0x1d9c9892400a22a2ULL}, /* 218 */
    {0xb54d5e4a127f59c8ULL, 0x2503beb6d00cab4bULL}, /* 219 */
    {0xe2a0b5dc971f303aULL, 0x2e44ae64840fd61dULL}, /* 220 */
    {0x8da471a9de737e24ULL, 0x5ceaecfed289e5d2ULL}, /* 221 */
    {0xb10d8e1456105dadULL, 0x7425a83e872c5f47ULL}, /* 222 */
    {0xdd50f1996b947518ULL, 0xd12f124e28f77719ULL}, /* 223 */
    {0x8a5296ffe33cc92fULL, 0x82bd6b70d99aaa6fULL}, /* 224 */
    {0xace73cbfdc0bfb7bULL, 0x636cc64d1001550bULL}, /* 225 */
    {0xd8210befd30efa5aULL, 0x3c47f7e05401aa4eULL}, /* 226 */
    {0x8714a775e3e95c78ULL, 0x65acfaec34810a71ULL}, /* 227 */
    {0xa8d9d1535ce3b396ULL, 0x7f1839a741a14d0dULL}, /* 228 */
    {0xd31045a8341ca07cULL, 0x1ede48111209a050ULL}, /* 229 */
    {0x83ea2b892091e44dULL, 0x934aed0aab460432ULL}, /* 230 */
    {0xa4e4b66b68b65d60ULL, 0xf81da84d5617853fULL}, /* 231 */
    {0xce1de40642e3f4b9ULL, 0x36251260ab9d668eULL}, /* 232 */
    {0x80d2ae83e9ce78f3ULL, 0xc1d72b7c6b426019ULL}, /* 233 */
    {0xa1075a24e4421730ULL, 0xb24cf65b8612f81fULL}, /* 234 */
    {0xc94930ae1d529cfcULL, 0xdee033f26797b627ULL}, /* 235 */
    {0xfb9b7cd9a4a7443cULL, 0x169840ef017da3b1ULL}, /* 236 */
    {0x9d412e0806e88aa5ULL, 0x8e1f289560ee864eULL}, /* 237 */
    {0xc491798a08a2ad4eULL, 0xf1a6f2bab92a27e2ULL}, /* 238 */
    {0xf5b5d7ec8acb58a2ULL, 0xae10af696774b1dbULL}, /* 239 */
    {0x9991a6f3d6bf1765ULL, 0xacca6da1e0a8ef29ULL}, /* 240 */
    {0xbff610b0cc6edd3fULL, 0x17fd090a58d32af3ULL}, /* 241 */
    {0xeff394dcff8a948eULL, 0xddfc4b4cef07f5b0ULL}, /* 242 */
    {0x95f83d0a1fb69cd9ULL, 0x4abdaf101564f98eULL}, /* 243 */
    {0xbb764c4ca7a4440fULL, 0x9d6d1ad41abe37f1ULL}, /* 244 */
    {0xea53df5fd18d5513ULL, 0x84c86189216dc5edULL}, /* 245 */
    {0x92746b9be2f8552cULL, 0x32fd3cf5b4e49bb4ULL}, /* 246 */
    {0xb7118682dbb66a77ULL, 0x3fbc8c33221dc2a1ULL}, /* 247 */
    {0xe4d5e82392a40515ULL, 0x0fabaf3feaa5334aULL}, /* 248 */
    {0x8f05b1163ba6832dULL, 0x29cb4d87f2a7400eULL}, /* 249 */
    {0xb2c71d5bca9023f8ULL, 0x743e20e9ef511012ULL}, /* 250 */
    {0xdf78e4b2bd342cf6ULL, 0x914da9246b255416ULL}, /* 251 */
    {0x8bab8eefb6409c1aULL, 0x1ad089b6c2f7548eULL}, /* 252 */
    {0xae9672aba3d0c320ULL, 0xa184ac2473b529b1ULL}, /* 253 */
    {0xda3c0f568cc4f3e8ULL, 0xc9e5d72d90a2741eULL}, /* 254 */
    {0x8865899617fb1871ULL, 0x7e2fa67c7a658892ULL}, /* 255 */
    {0xaa7eebfb9df9de8dULL, 0xddbb901b98feeab7ULL}, /* 256 */
    {0xd51ea6fa85785631ULL, 0x552a74227f3ea565ULL}, /* 257 */
    {0x8533285c936b35deULL, 0xd53a88958f87275fULL}, /* 258 */
    {0xa67ff273b8460356ULL, 0x8a892abaf368f137ULL}, /* 259 */
    {0xd01fef10a657842cULL, 0x2d2b7569b0432d85ULL}, /* 260 */
    {0x8213f56a67f6b29bULL, 0x9c3b29620e29fc73ULL}, /* 261 */
    {0xa298f2c501f45f42ULL, 0x8349f3ba91b47b8fULL}, /* 262 */
    {0xcb3f2f7642717713ULL, 0x241c70a936219a73ULL}, /* 263 */
    {0xfe0efb53d30dd4d7ULL, 0xed238cd383aa0110ULL}, /* 264 */
    {0x9ec95d1463e8a506ULL, 0xf4363804324a40aaULL}, /* 265 */
    {0xc67bb4597ce2ce48ULL, 0xb143c6053edcd0d5ULL}, /* 266 */
    {0xf81aa16fdc1b81daULL, 0xdd94b7868e94050aULL}, /* 267 */
    {0x9b10a4e5e9913128ULL, 0xca7cf2b4191c8326ULL}, /* 268 */
    {0xc1d4ce1f63f57d72ULL, 0xfd1c2f611f63a3f0ULL}, /* 269 */
    {0xf24a01a73cf2dccfULL, 0xbc633b39673c8cecULL}, /* 270 */
    {0x976e41088617ca01ULL, 0xd5be0503e085d813ULL}, /* 271 */
    {0xbd49d14aa79dbc82ULL, 0x4b2d8644d8a74e18ULL}, /* 272 */
    {0xec9c459d51852ba2ULL, 0xddf8e7d60ed1219eULL}, /* 273 */
    {0x93e1ab8252f33b45ULL, 0xcabb90e5c942b503ULL}, /* 274 */
    {0xb8da1662e7b00a17ULL, 0x3d6a751f3b936243ULL}, /* 275 */
    {0xe7109bfba19c0c9dULL, 0x0cc512670a783ad4ULL}, /* 276 */
    {0x906a617d450187e2ULL, 0x27fb2b80668b24c5ULL}, /* 277 */
    {0xb484f9dc9641e9daULL, 0xb1f9f660802dedf6ULL}, /* 278 */
    {0xe1a63853bbd26451ULL, 0x5e7873f8a0396973ULL}, /* 279 */
    {0x8d07e33455637eb2ULL, 0xdb0b487b6423e1e8ULL}, /* 280 */
    {0xb049dc016abc5e5fULL, 0x91ce1a9a3d2cda62ULL}, /* 281 */
    {0xdc5c5301c56b75f7ULL, 0x7641a140cc7810fbULL}, /* 282 */
    {0x89b9b3e11b6329baULL, 0xa9e904c87fcb0a9dULL}, /* 283 */
    {0xac2820d9623bf429ULL, 0x546345fa9fbdcd44ULL}, /* 284 */
    {0xd732290fbacaf133ULL, 0xa97c177947ad4095ULL}, /* 285 */
    {0x867f59a9d4bed6c0ULL, 0x49ed8eabcccc485dULL}, /* 286 */
    {0xa81f301449ee8c70ULL, 0x5c68f256bfff5a74ULL}, /* 287 */
    {0xd226fc195c6a2f8cULL, 0x73832eec6fff3111ULL}, /* 288 */
    {0x83585d8fd9c25db7ULL, 0xc831fd53c5ff7eabULL}, /* 289 */
    {0xa42e74f3d032f525ULL, 0xba3e7ca8b77f5e55ULL}, /* 290 */
    {0xcd3a1230c43fb26fULL, 0x28ce1bd2e55f35ebULL}, /* 291 */
    {0x80444b5e7aa7cf85ULL, 0x7980d163cf5b81b3ULL}, /* 292 */
    {0xa0555e361951c366ULL, 0xd7e105bcc332621fULL}, /* 293 */
    {0xc86ab5c39fa63440ULL, 0x8dd9472bf3fefaa7ULL}, /* 294 */
    {0xfa856334878fc150ULL, 0xb14f98f6f0feb951ULL}, /* 295 */
    {0x9c935e00d4b9d8d2ULL, 0x6ed1bf9a569f33d3ULL}, /* 296 */
    {0xc3b8358109e84f07ULL, 0x0a862f80ec4700c8ULL}, /* 297 */
    {0xf4a642e14c6262c8ULL, 0xcd27bb612758c0faULL}, /* 298 */
    {0x98e7e9cccfbd7dbdULL, 0x8038d51cb897789cULL}, /* 299 */
    {0xbf21e44003acdd2cULL, 0xe0470a63e6bd56c3ULL}, /* 300 */
    {0xeeea5d5004981478ULL, 0x1858ccfce06cac74ULL}, /* 301 */
    {0x95527a5202df0ccbULL, 0x0f37801e0c43ebc8ULL}, /* 302 */
    {0xbaa718e68396cffdULL, 0xd30560258f54e6baULL}, /* 303 */
    {0xe950df20247c83fdULL, 0x47c6b82ef32a2069ULL}, /* 304 */
    {0x91d28b7416cdd27eULL, 0x4cdc331d57fa5441ULL}, /* 305 */
    {0xb6472e511c81471dULL, 0xe0133fe4adf8e952ULL}, /* 306 */
    {0xe3d8f9e563a198e5ULL, 0x58180fddd97723a6ULL}, /* 307 */
    {0x8e679c2f5e44ff8fULL, 0x570f09eaa7ea7648ULL}, /* 308 */
};

/* A row is as large as a cache line, and starts with one. */
typedef struct {
    uint16_t pairs[8];     /* what makes sixteen bytes eight numbers of two digits */
    uint32_t used;         /* which of the sixteen are digits of the fraction */
    uint32_t early_mask;   /* the digits before the last sixteen, */
    uint64_t early_weight; /*   and what multiplies them into one number */
    uint64_t zeros;        /* what must be zero, see ss_decimal_fast */
    uint64_t power;        /* 10**f */
    uint64_t scale;        /* upper half of the significand of 10**-f */
    uint64_t exponent;     /* see ss_decimal_fast */
} ss_decimal_row;

SS_ALIGNED(64) static const ss_decimal_row ss_decimal_rows[20] = {
    {{0}, 0, 0, 0, 0, 1, 0, 0},
    {{0, 0, 0, 0, 0, 0, 0, 1}, 0x8000,
     0x000000, 0x000000, 0x000000, 10ULL,
     0xccccccccccccccccULL, 1081},
    {{0, 0, 0, 0, 0, 0, 0, 2561}, 0xc000,
     0x000000, 0x000000, 0x000000, 100ULL,
     0xa3d70a3d70a3d70aULL, 1078},
    {{0, 0, 0, 0, 0, 0, 1, 2561}, 0xe000,
     0x000000, 0x000000, 0x000000, 1000ULL,
     0x83126e978d4fdf3bULL, 1075},
    {{0, 0, 0, 0, 0, 0, 2561, 2561}, 0xf000,
     0x000000, 0x000000, 0x000000, 10000ULL,
     0xd1b71758e219652bULL, 1071},
    {{0, 0, 0, 0, 0, 1, 2561, 2561}, 0xf800,
     0x000000, 0x000000, 0x000000, 100000ULL,
     0xa7c5ac471b478423ULL, 1068},
    {{0, 0, 0, 0, 0, 2561, 2561, 2561}, 0xfc00,
     0x000000, 0x000000, 0x000000, 1000000ULL,
     0x8637bd05af6c69b5ULL, 1065},
    {{0, 0, 0, 0, 1, 2561, 2561, 2561}, 0xfe00,
     0x000000, 0x000000, 0x000000, 10000000ULL,
     0xd6bf94d5e57a42bcULL, 1061},
    {{0, 0, 0, 0, 2561, 2561, 2561, 2561}, 0xff00,
     0x000000, 0x000000, 0x000000, 100000000ULL,
     0xabcc77118461cefcULL, 1058},
    {{0, 0, 0, 1, 2561, 2561, 2561, 2561}, 0xff80,
     0x000000, 0x000000, 0x000000, 1000000000ULL,
     0x89705f4136b4a597ULL, 1055},
    {{0, 0, 0, 2561, 2561, 2561, 2561, 2561}, 0xffc0,
     0x000000, 0x000000, 0x000000, 10000000000ULL,
     0xdbe6fecebdedd5beULL, 1051},
    {{0, 0, 1, 2561, 2561, 2561, 2561, 2561}, 0xffe0,
     0x000000, 0x000000, 0x000000, 100000000000ULL,
     0xafebff0bcb24aafeULL, 1048},
    {{0, 0, 2561, 2561, 2561, 2561, 2561, 2561}, 0xfff0,
     0x000000, 0x000000, 0x000000, 1000000000000ULL,
     0x8cbccc096f5088cbULL, 1045},
    {{0, 1, 2561, 2561, 2561, 2561, 2561, 2561}, 0xfff8,
     0x000000, 0x000000, 0x000000, 10000000000000ULL,
     0xe12e13424bb40e13ULL, 1041},
    {{0, 2561, 2561, 2561, 2561, 2561, 2561, 2561}, 0xfffc,
     0x000000, 0x000000, 0x000000, 100000000000000ULL,
     0xb424dc35095cd80fULL, 1038},
    {{1, 2561, 2561, 2561, 2561, 2561, 2561, 2561}, 0xfffe,
     0x000000, 0x000000, 0x000000, 1000000000000000ULL,
     0x901d7cf73ab0acd9ULL, 1035},
    {{2561, 2561, 2561, 2561, 2561, 2561, 2561, 2561}, 0xffff,
     0x000000, 0x000000, 0x000000, 10000000000000000ULL,
     0xe69594bec44de15bULL, 1031},
    {{2561, 2561, 2561, 2561, 2561, 2561, 2561, 2561}, 0xffff,
     0x0000ff, 0x010000, 0x000000, 100000000000000000ULL,
     0xb877aa3236a4b449ULL, 1028},
    {{2561, 2561, 2561, 2561, 2561, 2561, 2561, 2561}, 0xffff,
     0x00ffff, 0x0a0100, 0x000000, 1000000000000000000ULL,
     0x9392ee8e921d5d07ULL, 1025},
    {{2561, 2561, 2561, 2561, 2561, 2561, 2561, 2561}, 0xffff,
     0xffffff, 0x000a01, 0xff00ff, 10000000000000000000ULL,
     0xec1e4a7db69561a5ULL, 1021},
};

#endif
