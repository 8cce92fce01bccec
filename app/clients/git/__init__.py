"""Reads repositories through git. Owns mirrors and how git is run; decides nothing about what is indexed or said."""

from app.clients.git.local import local_mirror, origin_of
from app.clients.git.mirror import Mirror
from app.clients.git.mirrors import Mirrors
from app.clients.git.parse import Revision, show_path
from app.clients.git.remote import Remote
from app.clients.git.run import GitError

__all__ = ["GitError", "Mirror", "Mirrors", "Remote", "Revision", "local_mirror", "origin_of", "show_path"]
