import { LazyModule } from '../../base/primitives/lazyModule.ts'
import { loadRecovery } from '../../base/primitives/recovery.ts'
import { lookedUp } from './runPrecompile.ts'
import type * as Loaded from './seldom.ts'

const ripemd160 = new LazyModule(async () => (await import('./ripemd160.ts')).ripemd160)
const modexp = new LazyModule(async () => (await import('./modexp.ts')).modexp)
const blake2f = new LazyModule(async () => (await import('./blake2f.ts')).blake2f)

export const SELDOM: typeof Loaded.SELDOM = {
  RIPEMD160: (input) => ripemd160.get()(input),
  MODEXP: lookedUp(() => modexp.get()),
  BLAKE2F: lookedUp(() => blake2f.get()),
}

export const SELDOM_LIBRARIES: typeof Loaded.SELDOM_LIBRARIES = {
  ECREC: { load: loadRecovery },
  RIPEMD160: ripemd160,
  MODEXP: modexp,
  BLAKE2F: blake2f,
}
