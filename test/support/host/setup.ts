/** Runs before each test file. */
import { runTasksAtEnd } from '../rpc/endOfFile.ts'

runTasksAtEnd()
