"""Facts about other libraries, one pack to a module; each is named by an entry point like anybody else's."""
