/**
 * Runs the background process, which generates documents and emails and sends the emails.
 * It is a separate process because the typesetter never releases its memory, and because generating documents must have
 * a lower priority than registrations. It starts with the first task and ends after a short idle time.
 */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { assert } from '../../engine/index.ts'
import { selectBackgroundVariables } from '../ops/environment.ts'
import type { BackgroundRequest, BackgroundResponse } from './background-messages.ts'

/**
 * A trade-off: startup takes half a second, and an idle process uses 100 MB. After one email, another is likely.
 */
const IDLE_TIMEOUT_MS = 30_000
/**
 * A document of a hundred lines takes a tenth of a second. On a busy machine it takes longer, because this process
 * has low priority.
 */
const MAX_GENERATE_MS = 45_000
/** Longer than the process waits for a mail server. */
const MAX_SEND_MS = 120_000
/** The typesetter leaks about 360 KB of memory per document. After this many tasks, a new process takes over. */
const MAX_TASKS = 400

/** A request without its id. */
export type Task = BackgroundRequest extends infer Each
  ? Each extends BackgroundRequest
    ? Omit<Each, 'id'>
    : never
  : never
/**
 * `ended` means that the process ended before it responded. If `isSending` is true, the email may have reached the mail
 * server.
 */
export type TaskResult =
  | Exclude<BackgroundResponse, { readonly is: 'sending' }>
  | { readonly is: 'ended'; readonly isSending: boolean; readonly error: string }

type RunningTask = {
  readonly resolve: (result: TaskResult) => void
  /** Called when the email has been generated and is about to be sent. */
  readonly onSending: () => void
  isSending: boolean
  timer: NodeJS.Timeout
}
type BackgroundProcess = {
  readonly pid: number | undefined
  hasExited(): boolean
  hasReachedTaskLimit(): boolean
  countTasks(): number
  /** Ends the process when its tasks have finished. */
  retire(): void
  run(task: Task, onSending: () => void): Promise<TaskResult>
}

let currentProcess: BackgroundProcess | null = null
let lastId = 0

/** Runs a task in the process. Never throws. */
export async function runInBackground(
  task: Task,
  onSending: () => void = () => {},
): Promise<TaskResult> {
  try {
    if (currentProcess?.hasReachedTaskLimit() === true) {
      currentProcess.retire()
      currentProcess = null
    }
    if (currentProcess === null || currentProcess.hasExited()) currentProcess = startProcess()
    return await currentProcess.run(task, onSending)
  } catch (error) {
    return { is: 'ended', isSending: false, error: String(error) }
  }
}

/** Returns the running process and the number of its unfinished tasks; null if there is none. */
export const getBackgroundProcess = (): { readonly pid: number; readonly tasks: number } | null =>
  currentProcess === null || currentProcess.hasExited() || currentProcess.pid === undefined
    ? null
    : { pid: currentProcess.pid, tasks: currentProcess.countTasks() }

function startProcess(): BackgroundProcess {
  const tasks = new Map<number, RunningTask>()
  let hasExited = false
  let isRetired = false
  let startedTaskCount = 0
  let idleTimer: NodeJS.Timeout | null = null
  let cause = ''
  const child = forkProcess()

  const failAllTasks = (): void => {
    hasExited = true
    if (idleTimer !== null) clearTimeout(idleTimer)
    for (const { resolve, isSending, timer } of tasks.values()) {
      clearTimeout(timer)
      resolve({ is: 'ended', isSending, error: `the background process ended${cause}` })
    }
    tasks.clear()
  }
  const disconnect = (): void => {
    hasExited = true
    if (child.connected) child.disconnect()
  }
  const stopWhenIdle = (): void => {
    if (tasks.size > 0 || hasExited) return
    if (isRetired) return disconnect()
    idleTimer = setTimeout(disconnect, IDLE_TIMEOUT_MS)
    idleTimer.unref()
  }
  const startTimer = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      cause = `, because it did not respond within ${ms / 1000} seconds`
      child.kill('SIGKILL')
    }, ms)

  child.on('message', (response: BackgroundResponse) => {
    const task = tasks.get(response.id)
    assert(task !== undefined, 'a response without a task')
    clearTimeout(task.timer)
    if (response.is === 'sending') {
      task.isSending = true
      task.timer = startTimer(MAX_SEND_MS)
      return task.onSending()
    }
    tasks.delete(response.id)
    task.resolve(response)
    return stopWhenIdle()
  })
  // When this event fires, all messages of the process have been received. When `exit` fires, some may not have
  // arrived yet.
  child.on('disconnect', failAllTasks)
  child.on('exit', (status, signal) => {
    cause ||= ` (${signal ?? `status ${status}`})`
  })
  child.on('error', (error) => {
    cause ||= ` (${error.message})`
    if (!child.connected) failAllTasks()
  })
  // An idle process must not keep a server alive that is shutting down. A running task does, through its timer.
  child.unref()
  child.channel?.unref()
  return {
    pid: child.pid,
    hasExited: () => hasExited,
    hasReachedTaskLimit: () => startedTaskCount >= MAX_TASKS,
    countTasks: () => tasks.size,
    retire: () => {
      isRetired = true
      if (idleTimer !== null) clearTimeout(idleTimer)
      stopWhenIdle()
    },
    run: (task, onSending) => {
      if (idleTimer !== null) clearTimeout(idleTimer)
      startedTaskCount += 1
      return new Promise((resolve) => {
        const id = ++lastId
        const timer = startTimer(MAX_GENERATE_MS)
        tasks.set(id, { resolve, onSending, isSending: false, timer })
        child.send({ ...task, id } as BackgroundRequest, (error) => {
          // The process did not receive this task. Results that it has already sent for other tasks are read before
          // those tasks fail.
          if (error === null || !tasks.delete(id)) return
          clearTimeout(timer)
          resolve({ is: 'ended', isSending: false, error: error.message })
        })
      })
    },
  }
}

const forkProcess = (): ChildProcess =>
  fork(new URL('./background-process-entry.ts', import.meta.url), {
    env: selectBackgroundVariables(),
    execArgv: [
      '--max-semi-space-size=8',
      '--max-old-space-size=256',
      ...process.execArgv.filter((argument) => argument.startsWith('--cpu-prof')),
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
