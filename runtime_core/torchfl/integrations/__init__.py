"""Help for libraries that name the devices they know: what they need beside ``torchfl.init()``.

Nothing here is imported by torchfl itself.
"""
