import { NodeError } from './errors.ts'

/**
 * Loads a module that imports `@ethereumjs/vm` and its parts, which npm installs only on request.
 * @param option the option that needs them
 * @throws {NodeError} MISSING_PACKAGE when they are not installed
 */
export async function loadWithEthereumJs<T>(load: () => Promise<T>, option: string): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    // Each runtime has its own code for this error.
    if (!(cause as Partial<Error>).message?.includes('@ethereumjs/')) throw cause
    const message = `${option} needs a package that is not installed: npm install @ethereumjs/vm`
    throw new NodeError({ code: 'MISSING_PACKAGE', package: '@ethereumjs/vm' }, message, { cause })
  }
}
