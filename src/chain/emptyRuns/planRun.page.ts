import { LazyModule } from '../../base/primitives/lazyModule.ts'
import type * as Loaded from './planRun.ts'

const code = new LazyModule(() => import('./planRun.ts'))

export type { RunPlan } from './planRun.ts'

/** @throws {ModuleNotLoaded} before anything is staged */
export const stageRun: typeof Loaded.stageRun = (task, plan) => code.get().stageRun(task, plan)
