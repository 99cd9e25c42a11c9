/** What a person is told about a model without a price. */
export const HOW_TO_PRICE =
  "--unpriced says what is done about it: warn lets it pass, stop ends the run, and with tokens the token limit holds alone.";
