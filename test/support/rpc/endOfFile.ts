/** Work at the end of every test file, for modules that several files of a worker share. */
import { afterAll } from 'vitest'

const tasks: (() => unknown)[] = []

/** Registers a task once; it runs at the end of every test file, after its hooks, the latest task first. */
export function atEndOfFile(task: () => unknown): void {
  tasks.push(task)
}

/** Called by the setup of each file. */
export function runTasksAtEnd(): void {
  afterAll(async () => {
    for (const task of tasks.toReversed()) await task()
  })
}
