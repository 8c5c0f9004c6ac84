// The largest of many numbers. Spread into `Math.max`, some hundred thousand of them overflow the stack.

/** `least` when there is none, or none that is larger. */
export function largest(numbers: Iterable<number>, least = -Infinity): number {
  let found = least;
  for (const number of numbers) found = Math.max(found, number);
  return found;
}
