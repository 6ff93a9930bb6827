/**
 * The fastest arithmetic modulo a prime that the host supports.
 * @module
 */
import { type FieldPair, portableFields } from './field.ts'
import { wasmFields } from './wasmField.ts'

/** @param p a prime that is 3 modulo 4 */
export async function fastFields(p: bigint): Promise<FieldPair<unknown, unknown>> {
  try {
    return await wasmFields(p)
  } catch {
    // Workers and pages with a strict content security policy refuse to compile WebAssembly.
    return portableFields(p)
  }
}
