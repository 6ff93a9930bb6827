/** Files of allowlists in memory. */
import type { PermissionFiles } from '../../../src/base/ports/permissionFiles.ts'

export const PERMISSIONS_FILE = '/data/permissions_config.toml'

export class MemoryPermissionFiles implements PermissionFiles {
  /** By path. */
  readonly texts = new Map<string, string>()
  writes = 0
  isReadOnly = false

  /** @param text of the default file */
  constructor(text?: string) {
    if (text !== undefined) this.texts.set(PERMISSIONS_FILE, text)
  }

  get text(): string | undefined {
    return this.texts.get(PERMISSIONS_FILE)
  }

  set text(text: string | undefined) {
    if (text === undefined) this.texts.delete(PERMISSIONS_FILE)
    else this.texts.set(PERMISSIONS_FILE, text)
  }

  resolve(path: string | undefined): string {
    return path ?? PERMISSIONS_FILE
  }

  read(path: string): string {
    const text = this.texts.get(path)
    if (text === undefined) throw new Error(`Configuration file does not exist: ${path}`)
    return text
  }

  replace(path: string, text: string): void {
    if (this.isReadOnly) throw new Error('read-only file system')
    this.writes++
    this.texts.set(path, text)
  }
}
