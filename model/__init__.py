"""The mathematics of Vitrine. Importing this package loads nothing else; torch is loaded with the
modules that need it.
"""
