import type { WitnessBackend } from '../../../api/calls/callWitness.ts'
import type { MethodDefinition } from '../../method.ts'
import { callWitness } from './callWitness.ts'

export const isonodeMethods: readonly MethodDefinition<WitnessBackend>[] = [callWitness]
