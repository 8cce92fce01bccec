"""`coderag bench`: measures indexing, pushes, questions, webhooks and mentions, and prints one table."""
