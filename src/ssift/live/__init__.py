"""Live streams: strict events as they arrive, and what is built on them."""
