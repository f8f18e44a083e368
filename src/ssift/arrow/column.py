"""What everything that hands itself over has in common."""

from __future__ import annotations

from ssift.arrow.capsules import array_capsules, schema_capsule, stream_capsule
from ssift.arrow.layout import Array, Field


class ArrowColumn:
    """Speaks the Arrow PyCapsule protocol, as an array and as a stream of that one array, any number of times."""

    __slots__ = ()

    def arrow_field(self) -> Field:
        """Its Arrow type, without a name."""
        raise NotImplementedError

    def arrow_array(self) -> Array:
        """Its buffers as an Arrow array."""
        raise NotImplementedError

    def __arrow_c_schema__(self) -> object:
        return schema_capsule(self.arrow_field())

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return array_capsules(self.arrow_field(), self.arrow_array(), requested_schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return stream_capsule(self.arrow_field(), [self.arrow_array()], requested_schema)
