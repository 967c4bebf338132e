"""The mathematics of Vitrine. Importing the package imports nothing; torch arrives with the modules
that need it.
"""
