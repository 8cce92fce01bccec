"""CodeRAG: a self-hosted GitHub App that knows a whole repository and proves every line it says."""

__version__ = "0.1.0"
