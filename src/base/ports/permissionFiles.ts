/** Files with allowlists, which both the operator and the node write. */
export interface PermissionFiles {
  /** @returns the absolute path of a file; without a name, the path of the node's default file */
  resolve(path: string | undefined): string
  /** @throws when the file is absent or unreadable; the message has the reason */
  read(path: string): string
  /**
   * Replaces the content of an existing file: after a crash it has the old or the new text.
   * @throws when the file cannot be written
   */
  replace(path: string, text: string): void
}
