/**
 * Assigns elements to the rows of a table. New elements for each row of a fast chain would take most of the time of the page.
 * @module
 */

/**
 * @param keys of the rows to show
 * @param before the slot of each row that is shown, by its key
 * @param isHeld the slots of rows that go are not given to rows that come
 * @returns a slot for each key; a row that stays keeps its slot
 */
export function rowSlots(
  keys: readonly string[],
  before: ReadonlyMap<string, number>,
  isHeld: boolean,
): Map<string, number> {
  const staying = new Set(keys)
  const free: number[] = []
  let next = 0
  for (const [key, slot] of before) {
    next = Math.max(next, slot + 1)
    if (!isHeld && !staying.has(key)) free.push(slot)
  }
  free.reverse()
  return new Map(keys.map((key) => [key, before.get(key) ?? free.pop() ?? next++]))
}
