/** The word that was probably meant: one letter is wrong, missing or too many, or two are swapped. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  return words.find((other) => isOneSlipAway(word.toLowerCase(), other.toLowerCase()));
}

function isOneSlipAway(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let end = 0;
  const shorter = Math.min(one.length, other.length);
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  const isSwap = left.length === 2 && left === [...right].reverse().join("");
  return isSwap || (left.length <= 1 && right.length <= 1);
}
