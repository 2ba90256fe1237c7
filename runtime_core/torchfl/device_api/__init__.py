"""The parts of :mod:`torchfl.device_module`, which answers for ``torch.xpu`` and ``torch.fl``."""
