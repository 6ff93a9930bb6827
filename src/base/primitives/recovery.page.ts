import { LazyModule } from './lazyModule.ts'
import type * as Loaded from './recovery.ts'

const code = new LazyModule(async () => (await import('./recovery.ts')).recover)

export const recover: typeof Loaded.recover = (hash, signature, yParity) => code.get()(hash, signature, yParity)

export const loadRecovery: typeof Loaded.loadRecovery = () => code.load()
