"""Certificates: what shows that a property holds, for a program that shares nothing with the search to confirm."""
