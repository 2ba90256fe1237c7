"""Every optimizer of torch.optim in each of its forms, against the same on the CPU."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.device

CLASSES = {
    name: value
    for name, value in vars(torch.optim).items()
    if inspect.isclass(value) and issubclass(value, torch.optim.Optimizer) and value is not torch.optim.Optimizer
}
FORMS = [
    (name, form)
    for name, value in sorted(CLASSES.items())
    for form in (None, "foreach", "fused", "capturable")
    if form is None or form in inspect.signature(value).parameters
]


def trained(name: str, form: str | None, where: str) -> list[torch.Tensor]:
    """The parameters after three steps; the CPU has no capturable form and runs the plain one."""
    torch.manual_seed(0)
    model = nn.Linear(4, 4).to(where)
    parameters = [model.weight] if name == "Muon" else list(model.parameters())  # Muon is for matrices
    options: dict[str, Any] = {} if form is None or (form, where) == ("capturable", "cpu") else {form: True}
    optimizer = CLASSES[name](parameters, **options)
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(1)).to(where)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(x).square().sum()
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    optimizer.load_state_dict(optimizer.state_dict())
    optimizer.step(closure)
    return [parameter.detach().cpu() for parameter in parameters]


@pytest.mark.parametrize(("name", "form"), [row for row in FORMS if row[0] != "SparseAdam"])
def test_the_parameters_are_the_cpus(name: str, form: str | None, native: Any) -> None:
    expected = trained(name, form, "cpu")
    with native("aten::addmm", "aten::mul.Tensor"):
        actual = trained(name, form, "xpu")
    for a, b in zip(actual, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=2e-6)


def test_every_form_is_tried() -> None:
    """foreach and fused are what torch.optim takes for an accelerator by itself."""
    forms = {form for _, form in FORMS}
    assert forms == {None, "foreach", "fused", "capturable"}
    assert len(CLASSES) >= 14
