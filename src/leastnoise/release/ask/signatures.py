"""All functions there are, by name; a new one is listed in the file of its kind."""

from leastnoise.release.ask.choice_functions import CHOICE_FUNCTIONS
from leastnoise.release.ask.date_functions import DATE_FUNCTIONS
from leastnoise.release.ask.number_functions import NUMBER_FUNCTIONS
from leastnoise.release.ask.signature import Signature
from leastnoise.release.ask.text_functions import TEXT_FUNCTIONS

SIGNATURES: dict[str, Signature] = {
    each.name: each
    for each in (*NUMBER_FUNCTIONS, *TEXT_FUNCTIONS, *CHOICE_FUNCTIONS, *DATE_FUNCTIONS)
}
