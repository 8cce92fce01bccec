"""Tests of the stand-in GitHub."""
