/** A file with compiled contracts. */
export interface ArtifactFile {
  /** Relative to the folder, with slashes. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Changes when the file changes. */
  readonly modifiedMs: number
}

/** A directory with the output of a Solidity compiler. */
export interface ArtifactFolder {
  /** The name that the user gave. */
  readonly name: string
  /**
   * JSON files in the folder and its subfolders, without symbolic links, in order of their paths.
   * @param max number of files after which the search ends
   * @throws {NodeError} ABI_FOLDER_UNREADABLE
   */
  files(max: number): Promise<readonly ArtifactFile[]>
  /** @returns undefined when it cannot be read */
  read(path: string): Promise<string | undefined>
  /**
   * Reads a part of a file that is too long to be read as a whole.
   * @param end exclusive
   * @returns fewer bytes at the end of the file; undefined when it cannot be read
   */
  slice(path: string, start: number, end: number): Promise<Uint8Array | undefined>
  /**
   * Reads a source of the project that the folder belongs to.
   * @param path relative to the project, as the compiler names it
   * @param maxBytes longer files are not read
   * @returns undefined when it cannot be read
   */
  source(path: string, maxBytes: number): Promise<Uint8Array | undefined>
}
