"""The version of this package. The build writes it."""

__version__ = "0.0.0"
