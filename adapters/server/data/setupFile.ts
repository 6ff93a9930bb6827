/**
 * The file of `--kzg-trusted-setup`.
 * @module
 */
import { readFileSync } from 'node:fs'
import { NodeError } from '../../../src/base/primitives/errors.ts'

/** @throws {NodeError} INVALID_TRUSTED_SETUP if it cannot be read, or is not the ceremony's setup */
export async function checkSetupFile(file: string): Promise<void> {
  const { trustedSetupFault } = await import('../../../src/base/primitives/kzg/setupFile.ts')
  const fault = trustedSetupFault(readSetup(file))
  if (fault === undefined) return
  throw new NodeError({ code: 'INVALID_TRUSTED_SETUP' }, `cannot use --kzg-trusted-setup=${file}: ${fault}`)
}

function readSetup(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is no such file' : (cause as Error).message
    throw new NodeError({ code: 'INVALID_TRUSTED_SETUP' }, `cannot use --kzg-trusted-setup=${file}: ${reason}`, {
      cause,
    })
  }
}
