/** The published schema in a real editor's language server: keys complete with a sentence, a misspelt one is underlined. */
import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { place, top, type Place } from './cli.ts'

type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: {
    readonly uri?: string
    readonly diagnostics?: readonly Diagnostic[]
    readonly items?: readonly unknown[]
  }
  readonly result?: unknown
}
type Diagnostic = {
  readonly message: string
  readonly range: { readonly start: { readonly line: number; readonly character: number } }
}
type Item = { readonly label: string; readonly documentation?: string | { readonly value: string } }

let here: Place
let server: ChildProcess
let nextId = 0
const waiting = new Set<(message: Message) => void>()

beforeAll(async () => {
  here = place()
  cpSync(join(top, 'schemas'), join(here.folder, 'schemas'), { recursive: true })
  server = spawn(
    process.execPath,
    [join(top, 'node_modules', 'yaml-language-server', 'bin', 'yaml-language-server'), '--stdio'],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  )
  // It may still ask for something in the moment in which it is ended.
  server.stdin?.on('error', () => {})
  let buffer = Buffer.alloc(0)
  server.stdout?.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const head = buffer.indexOf('\r\n\r\n')
      const length = Number(
        /Content-Length: (\d+)/.exec(buffer.subarray(0, Math.max(head, 0)).toString())?.[1],
      )
      if (head === -1 || buffer.length < head + 4 + length) return
      take(JSON.parse(buffer.subarray(head + 4, head + 4 + length).toString()) as Message)
      buffer = buffer.subarray(head + 4 + length)
    }
  })
  await ask('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(here.folder).href,
    capabilities: {
      textDocument: { completion: { completionItem: { documentationFormat: ['markdown'] } } },
      workspace: { configuration: true },
    },
  })
  tell('initialized', {})
})
afterAll(() => {
  server.kill()
  here.remove()
})

function take(message: Message): void {
  if (message.id !== undefined && message.method !== undefined) {
    // It asks for settings, and to be told of changes: defaults, and no store of schemas on the network.
    const settings = {
      schemaStore: { enable: false },
      validate: true,
      completion: true,
      hover: true,
    }
    send({
      id: message.id,
      result:
        message.method === 'workspace/configuration'
          ? (message.params?.items ?? []).map((_, at) => (at === 0 ? settings : null))
          : null,
    })
    return
  }
  for (const look of waiting) look(message)
}
function send(message: object): void {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message })
  server.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}
const tell = (method: string, params: object): void => send({ method, params })
const until = <T>(pick: (message: Message) => T | undefined): Promise<T> =>
  new Promise((resolve) => {
    const look = (message: Message): void => {
      const found = pick(message)
      if (found === undefined) return
      waiting.delete(look)
      resolve(found)
    }
    waiting.add(look)
  })
function ask(method: string, params: object): Promise<unknown> {
  const id = ++nextId
  const answer = until((message) =>
    message.id === id && message.method === undefined ? { result: message.result } : undefined,
  )
  send({ id, method, params })
  return answer.then(({ result }) => result)
}

function open(
  name: string,
  text: string,
): { readonly uri: string; readonly diagnostics: Promise<readonly Diagnostic[]> } {
  const uri = pathToFileURL(join(here.folder, 'events', name)).href
  const diagnostics = until((message) =>
    message.method === 'textDocument/publishDiagnostics' && message.params?.uri === uri
      ? message.params.diagnostics
      : undefined,
  )
  tell('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } })
  return { uri, diagnostics }
}
const completion = async (
  uri: string,
  line: number,
  character: number,
): Promise<readonly Item[]> => {
  const answer = (await ask('textDocument/completion', {
    textDocument: { uri },
    position: { line, character },
  })) as { items: Item[] } | Item[]
  return Array.isArray(answer) ? answer : answer.items
}
const said = ({ documentation }: Item): string =>
  typeof documentation === 'string' ? documentation : (documentation?.value ?? '')

test.each(readdirSync(join(top, 'events')).filter((name) => name.endsWith('.yaml')))(
  '%s has nothing underlined',
  async (name) => {
    expect(await open(name, here.read(`events/${name}`)).diagnostics).toEqual([])
  },
)

test.each<[string, (text: string) => string, string]>([
  ['a misspelt key', (text) => text.replace('  venue:', '  vneue:'), '  vneue:'],
  [
    'a word that is not possible',
    (text) => text.replace('status: open', 'status: opne'),
    'status: opne',
  ],
  [
    'options on a text field',
    (text) => text.replace('{id: institution,', '{id: institution, options: [a],'),
    'id: institution',
  ],
])('%s is underlined where it stands', async (what, spoil, wrong) => {
  const text = spoil(here.read('events/midzone2025.yaml'))
  const line = text.split('\n').findIndex((one) => one.includes(wrong))
  const found = await open(`${what.replaceAll(' ', '')}.yaml`, text).diagnostics
  expect(line).toBeGreaterThan(0)
  expect(found.map(({ range }) => range.start.line)).toContain(line)
})

describe('completes keys, each with a description', () => {
  const head = '# yaml-language-server: $schema=../schemas/event.schema.json\nformat: 1\n'
  test.each<[string, string, readonly string[]]>([
    ['at the top', '', ['event', 'fees', 'form', 'examples']],
    ['of the event', 'event:\n  ', ['title', 'venue', 'status', 'support']],
    ['of the tax', 'fees:\n  tax:\n    ', ['percent', 'prices', 'round']],
    [
      'of a field',
      'form:\n  sections:\n    - title: A\n      fields:\n        - ',
      ['id', 'show_when', 'required', 'options'],
    ],
  ])('%s', async (name, body, wanted) => {
    const text = head + body
    const lines = text.split('\n')
    const { uri } = open(`${name.replaceAll(' ', '')}.yaml`, text)
    const items = await completion(uri, lines.length - 1, lines.at(-1)?.length ?? 0)
    const keys = items.filter(({ label }) => /^[a-z_]+$/.test(label))
    expect(keys.map(({ label }) => label)).toEqual(expect.arrayContaining([...wanted]))
    expect(keys.filter((item) => said(item).length < 8).map(({ label }) => label)).toEqual([])
  })
})

test('every key of the schema has a description', () => {
  const schema = JSON.parse(here.read('schemas/event.schema.json')) as {
    definitions: Record<string, { description?: string }>
  }
  const silent: string[] = []
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    const block = value as Record<string, unknown>
    const isCondition = /\/(if|then|else)(\/|$)/.test(path)
    if (!isCondition && typeof block['properties'] === 'object')
      for (const [key, inner] of Object.entries(
        block['properties'] as Record<string, { description?: string; $ref?: string }>,
      ))
        if (
          inner.description === undefined &&
          schema.definitions[inner.$ref?.split('/').at(-1) ?? '']?.description === undefined
        )
          silent.push(`${path}.${key}`)
    for (const [key, inner] of Object.entries(block)) walk(inner, `${path}/${key}`)
  }
  walk(schema, '')
  expect(silent).toEqual([])
})
