"""Learns the dense table from the history of git repositories: what people wrote, and the code that answered it."""
