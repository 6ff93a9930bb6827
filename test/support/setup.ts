/** Runs before each test file. */
import { runTasksAtEnd } from './endOfFile.ts'

runTasksAtEnd()
