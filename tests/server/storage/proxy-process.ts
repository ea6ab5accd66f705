/** Runs the delaying proxy in a separate process, so that a busy test does not delay packets further. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { startDelayingProxy } from './delaying-proxy.ts'
import type { DelayingProxy, Target } from './delaying-proxy.ts'

// When run with a target (JSON), this file is the proxy process. `startProxyProcess` starts one.

type Methods = Omit<DelayingProxy, 'port'>
/** The same methods, but asynchronous. */
export type ProxyProcess = { readonly port: number; readonly pid: number } & {
  readonly [Name in keyof Methods]: (
    ...args: Parameters<Methods[Name]>
  ) => Promise<Awaited<ReturnType<Methods[Name]>>>
}
type Call = { readonly id: number; readonly name: keyof Methods; readonly args: readonly unknown[] }
type ProxyResponse = { readonly id: number; readonly value: unknown }

const METHOD_NAMES = [
  'traffic',
  'trafficByConnection',
  'startTrace',
  'takeTrips',
  'setDelay',
  'setTarget',
  'cutCommits',
  'stopCutting',
  'cuts',
  'cutAll',
  'close',
] as const satisfies readonly (keyof Methods)[]

export async function startProxyProcess(
  target: Target,
  options: { readonly delayMs?: number } = {},
): Promise<ProxyProcess> {
  const child = fork(import.meta.filename, [JSON.stringify({ target, options })], {
    serialization: 'advanced',
  })
  const [port] = (await once(child, 'message')) as [number]
  const resolveById = new Map<number, (value: unknown) => void>()
  child.on('message', ({ id, value }: ProxyResponse) => {
    resolveById.get(id)?.(value)
    resolveById.delete(id)
  })
  let lastId = 0
  const call = (name: keyof Methods, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lastId += 1
      resolveById.set(lastId, resolve)
      child.once('error', reject)
      child.send({ id: lastId, name, args } satisfies Call, (error) => {
        child.off('error', reject)
        if (error !== null) reject(error)
      })
    })
  const methods = Object.fromEntries(
    METHOD_NAMES.map((name) => [
      name,
      async (...args: unknown[]) => {
        const value = await call(name, args)
        if (name === 'close') child.disconnect()
        return value
      },
    ]),
  )
  return { port, pid: child.pid ?? 0, ...methods } as ProxyProcess
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const { target, options } = JSON.parse(process.argv[2] ?? '') as {
    target: Target
    options: { delayMs?: number }
  }
  const proxy = await startDelayingProxy(target, options)
  // The parent process has ended.
  process.on('disconnect', () => process.exit())
  process.on('message', (call: Call) => void answerCall(proxy, call))
  process.send(proxy.port)
}

async function answerCall(proxy: DelayingProxy, { id, name, args }: Call): Promise<void> {
  const method = proxy[name] as (...args: readonly unknown[]) => unknown
  const value = await method(...args)
  process.send?.({ id, value } satisfies ProxyResponse)
}
