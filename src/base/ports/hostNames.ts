/** Look-up of the host names in enode URLs, as --Xdns-enabled allows them. */
export interface HostNames {
  /** Whether names are resolved again before each redial. */
  readonly areUpdated: boolean
  /** URLs of static nodes whose names are resolved before each redial; other names are resolved once. */
  readonly staticNodes: readonly string[]
  /**
   * @param url an enode URL
   * @returns the URL with an address in place of its host name
   * @throws {NodeError} UNKNOWN_HOST
   */
  resolve(url: string): Promise<string>
}
