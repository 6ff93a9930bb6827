/**
 * The fastest arithmetic modulo a prime that this host allows.
 * @module
 */
import { type FieldPair, portableFields } from './field.ts'
import { wasmFields } from './wasmField.ts'

/** @param p a prime that is 3 modulo 4 */
export async function fastFields(p: bigint): Promise<FieldPair<unknown, unknown>> {
  try {
    return await wasmFields(p)
  } catch {
    // Workers and strict pages compile nothing.
    return portableFields(p)
  }
}
