/**
 * The view in which the reader chooses a chain.
 * @module
 */
import { render } from 'preact'
import { WorkerNode } from '../node/workerNode.ts'
import { StartView } from './StartView.tsx'

/** @param problem why the chain that the address names cannot be shown */
export function showStart(problem: string | undefined): void {
  const root = document.getElementById('app')
  if (root !== null) render(<StartView node={new WorkerNode()} problem={problem} />, root)
}
