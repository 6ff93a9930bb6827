/**
 * Settings of the reader and unsaved input. No secrets: other pages of the origin can read them. Without storage, as in a
 * private window, they last until the page closes.
 * @module
 */
const PREFIX = 'isonode.'

export function readSetting(name: string): string | undefined {
  return read(() => localStorage, name)
}

/** @param value undefined removes it */
export function writeSetting(name: string, value: string | undefined): void {
  write(() => localStorage, name, value)
}

/** Input of a form that is not sent yet. It survives a reload, not the tab. */
export function readDraft(name: string): string | undefined {
  return read(() => sessionStorage, name)
}

export function writeDraft(name: string, value: string | undefined): void {
  write(() => sessionStorage, name, value)
}

function read(storage: () => Storage, name: string): string | undefined {
  try {
    return storage().getItem(PREFIX + name) ?? undefined
  } catch {
    return undefined
  }
}

function write(storage: () => Storage, name: string, value: string | undefined): void {
  try {
    if (value === undefined) storage().removeItem(PREFIX + name)
    else storage().setItem(PREFIX + name, value)
  } catch {
    // Storage is off or full.
  }
}
