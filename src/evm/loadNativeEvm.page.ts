import type { Clock } from '../base/ports/host.ts'
import type { Random } from '../base/ports/random.ts'
import type { Evm } from './evm.ts'
import { compileNativeModule } from './native/compileModule.ts'
import { NativeEvm } from './native/evm.ts'

/** Every page needs the EVM for its first call, so that its code comes with the rest, in one round trip. */
export async function loadNativeEvm(
  clock: Clock,
  random: Random,
  module?: WebAssembly.Module,
  memoryBytes?: number,
): Promise<Evm> {
  return new NativeEvm(clock, random, module ?? (await compileNativeModule()), memoryBytes)
}
