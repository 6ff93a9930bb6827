const MAX_NAME_LENGTH = 200
const NAME = /^[a-z0-9.-]+(?:\/[a-z0-9.-]+)*$/

/** Whether a name is one of an object (see `base/ports/objectStore`); others may be in the same store. */
export function isObjectName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name) && !name.split('/').some(isDots)
}

/** @throws {RangeError} for a name that no object can have */
export function requireObjectName(name: string): void {
  if (!isObjectName(name)) throw new RangeError(`${JSON.stringify(name)} is not a name of an object`)
}

/** @throws {RangeError} when offset or length is not a whole number of bytes */
export function requireRange(offset: number, length: number | undefined): void {
  for (const value of [offset, length ?? 0]) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a number of bytes`)
  }
}

function isDots(part: string): boolean {
  return part === '.' || part === '..'
}
