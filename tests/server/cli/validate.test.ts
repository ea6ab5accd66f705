/** The command `validate` and its output for people, programs and CI. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyFixes, formatAsGithub, type Finding } from '../../../engine/authoring.ts'
import { createCommandFolder, top, type CommandFolder } from './cli.ts'

let folder: CommandFolder
beforeEach(() => {
  folder = createCommandFolder()
})
afterEach(() => folder.remove())

const oldKeysFolder = join(top, 'tests', 'engine', 'authoring', 'old-keys')
const listCodes = (json: string): readonly string[] =>
  (JSON.parse(json) as { diagnostics: { code: string }[] }).diagnostics.map(({ code }) => code)

const breakFile = (): void =>
  folder.change('events/midzone2025.yaml', 'prices: exclusive', 'prices: exclusiv')

test('exits with 0 for valid files, 1 for errors (reported with their lines) and 2 for invalid usage', async () => {
  expect(await folder.rollcall(['validate'])).toMatchObject({ status: 0, stderr: '' })
  breakFile()
  const { status, stdout } = await folder.rollcall(['validate'])
  expect(status).toBe(1)
  expect(stdout).toMatch(/error\[EV104\][^]*--> events\/midzone2025\.yaml:\d+:\d+/)
  for (const args of [
    ['--format', 'xml'],
    ['--on', 'today'],
    ['--only', 'EV9999'],
    ['nowhere.yaml'],
    ['--strickt'],
    ['-', '--fix'],
  ])
    expect(await folder.rollcall(['validate', ...args])).toMatchObject({ status: 2, stdout: '' })
})

test('validate and explain use the event files of EVENTS_DIR instead of events/', async () => {
  mkdirSync(join(folder.folder, 'served'))
  const variables = { EVENTS_DIR: join(folder.folder, 'served') }
  const changedFile = folder.read('events/midzone2025.yaml').replaceAll('1250', '6250')
  folder.write('served/midzone2025.yaml', changedFile)
  const result = await folder.rollcall(['validate'], { variables })
  expect(result.stdout).toMatch(/served\/midzone2025\.yaml/)
  expect(result.stdout).not.toMatch(/ events\//)
  const explainResult = await folder.rollcall(['event', 'explain', 'midzone2025'], { variables })
  expect(explainResult.stdout).toContain('6,250')
  const unknownEvent = await folder.rollcall(['event', 'explain', 'afpicon2026'], { variables })
  expect([unknownEvent.status, unknownEvent.stderr.trim()]).toEqual([
    2,
    'The file afpicon2026 cannot be read. The folder “served” contains these events: midzone2025.',
  ])
  expect(
    await folder.rollcall(['validate'], { variables: { EVENTS_DIR: '/nowhere' } }),
  ).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('EVENTS_DIR is /nowhere, which does not exist.'),
  })
})

test('explains that a file whose name ends in .txt is not read; accepts a .bak copy without a message', async () => {
  const text = folder.read('events/midzone2025.yaml')
  folder.write('events/midzone2025.yaml.txt', text)
  folder.write('events/midzone2025.yaml.bak', text)
  const { stderr, status } = await folder.rollcall(['validate', 'events/midzone2025.yaml.txt'])
  expect(status).toBe(1)
  expect(stderr.replaceAll('\\', '/')).toBe(
    'events/midzone2025.yaml.txt is not read: its name ends in .txt, not in .yaml. Only midzone2025.yaml is read; put the changes there.\n',
  )
  for (const name of ['events/midzone2025.yaml', 'midzone2025', 'events/midzone2025.yaml.bak'])
    expect(await folder.rollcall(['validate', name])).toMatchObject({ status: 0, stderr: '' })
})

test('reports a file that looks like an event file but is not read, with instructions', async () => {
  const text = folder.read('events/midzone2025.yaml')
  for (const name of [
    'ortho2027.yaml.txt',
    'Cardio2027.YAML',
    'old2024.yml.bak',
    'dental2027',
    'afpicon2026.yaml.txt',
    // These are other files or deliberately disabled event files, and are not reported.
    'midzone2025.yaml.bak',
    'notes.txt',
    'README.md',
    'logo2027.png',
    'chirurgia2026.docx',
  ])
    folder.write(`events/${name}`, text)
  folder.write('events/neuro2027.docx', 'PK')
  const { status, stderr } = await folder.rollcall(['validate'])
  expect(status).toBe(0)
  expect(stderr.replaceAll('\\', '/').trimEnd().split('\n')).toEqual([
    'events/Cardio2027.YAML is not read: its extension must be .yaml in lower case. Rename it to cardio2027.yaml.',
    'events/afpicon2026.yaml.txt is not read: its name ends in .txt, not in .yaml. Only afpicon2026.yaml is read; put the changes there.',
    'events/dental2027 is not read: it has no extension. Rename it to dental2027.yaml.',
    'events/neuro2027.docx is not read: an event file is plain text with the extension .yaml, not .docx. Save its text as neuro2027.yaml.',
    'events/old2024.yml.bak is not read: its name ends in .bak, not in .yaml. Rename it to old2024.yaml.',
    'events/ortho2027.yaml.txt is not read: its name ends in .txt, not in .yaml. Rename it to ortho2027.yaml.',
  ])
  expect((await folder.rollcall(['validate', 'ortho'])).stderr).toBe(
    'The file ortho cannot be read. events/ortho2027.yaml.txt is not read: its name ends in .txt, not in .yaml. Rename it to ortho2027.yaml.\n',
  )
})

test.each([
  ['UTF-16 by Notepad', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'), 1, 'UTF-16'],
  [
    'Windows-1252',
    (text: string) => Buffer.from(text.replace('Thiruvalla', 'Pondich\u00e9ry'), 'latin1'),
    0,
    'a letter in `Pondich?ry` is unreadable',
  ],
  ['a Word document', () => Buffer.from('PK\u0003\u0004\u0014', 'latin1'), 1, 'Word or Excel'],
])(
  'if a file was saved as %s, the line of the problem is reported, and --fix does not overwrite the file',
  async (_what, encode, expectedLine, message) => {
    const file = 'events/chirurgia2026.yaml'
    const text = folder
      .read(file)
      .replace(/[^\x00-\x7f]/g, '-')
      .replace('status: open', 'status: opne')
    const line =
      expectedLine === 0
        ? text.split('\n').findIndex((line) => line.includes('Thiruvalla')) + 1
        : expectedLine
    const savedBytes = encode(text)
    writeFileSync(join(folder.folder, file), savedBytes)
    const { status, stdout } = await folder.rollcall(['validate', file, '--fix'])
    expect(status).toBe(1)
    expect(stdout).toContain(message)
    expect(stdout).toContain(`${file}:${line}:`)
    expect(stdout).toMatch(/save (the file|it) as UTF-8/)
    expect(readFileSync(join(folder.folder, file)).equals(savedBytes)).toBe(true)
  },
)

test('validates standard input with the shared files in events/', async () => {
  expect(
    (await folder.rollcall(['validate', '-'], { input: folder.read('events/midzone2025.yaml') }))
      .status,
  ).toBe(0)
  const { status, stdout } = await folder.rollcall(['validate', '-'], {
    input: 'format: 1\n',
    isSeparateProcess: true,
  })
  expect(status).toBe(1)
  expect(stdout).toContain('standard input')
})

test('--production reports demo values, --strict fails on warnings, --only selects findings', async () => {
  expect(
    (await folder.rollcall(['validate', '--production', 'events/midzone2025.yaml'])).status,
  ).toBe(1)
  expect(
    (await folder.rollcall(['validate', '--production', '--only', 'rule-incomplete,EV302'])).status,
  ).toBe(0)
  folder.change(
    'events/midzone2025.yaml',
    'non-afpi-pg:       [900]',
    'non-afpi-pg:       [900]\n  overlap: first',
  )
  expect((await folder.rollcall(['validate', 'events/midzone2025.yaml'])).status).toBe(0)
  expect((await folder.rollcall(['validate', '--strict', 'events/midzone2025.yaml'])).status).toBe(
    1,
  )
})

test('--format json prints one object with 1-based positions and a summary', async () => {
  breakFile()
  const { status, stdout } = await folder.rollcall(['validate', '--format', 'json'])
  const { version, diagnostics, summary } = JSON.parse(stdout) as {
    version: number
    diagnostics: { code: string; file: string; start: { line: number }; fix: { text: string } }[]
    summary: object
  }
  expect([status, version, summary]).toEqual([1, 1, { files: 4, errors: 1, warnings: 0, notes: 0 }])
  expect(diagnostics[0]).toMatchObject({
    code: 'EV104',
    slug: 'not-one-of',
    severity: 'error',
    file: 'events/midzone2025.yaml',
    keyPath: 'fees.tax.prices',
    fix: { text: 'exclusive' },
  })
  expect(
    folder.read('events/midzone2025.yaml').split('\n')[(diagnostics[0]?.start.line ?? 0) - 1],
  ).toContain('exclusiv}')
})

test('--format sarif prints a report whose fingerprints stay the same when a line moves', async () => {
  type Sarif = {
    version: string
    runs: {
      columnKind: string
      tool: { driver: { rules: { id: string }[] } }
      results: {
        ruleId: string
        partialFingerprints: object
        locations: { physicalLocation: { region: { startLine: number } } }[]
        fixes: unknown[]
      }[]
    }[]
  }
  const readReport = async () =>
    JSON.parse((await folder.rollcall(['validate', '--format', 'sarif'])).stdout) as Sarif
  breakFile()
  const firstReport = await readReport()
  folder.write('events/midzone2025.yaml', `# moved\n${folder.read('events/midzone2025.yaml')}`)
  const secondReport = await readReport()
  const readLine = (report: Sarif) =>
    report.runs[0]?.results[0]?.locations[0]?.physicalLocation.region.startLine ?? 0
  expect(firstReport).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        columnKind: 'utf16CodeUnits',
        tool: { driver: { rules: [{ id: 'EV104', name: 'not-one-of' }] } },
        results: [{ ruleId: 'EV104', level: 'error', fixes: [{}] }],
      },
    ],
  })
  expect(readLine(secondReport)).toBe(readLine(firstReport) + 1)
  expect(secondReport.runs[0]?.results[0]?.partialFingerprints).toEqual(
    firstReport.runs[0]?.results[0]?.partialFingerprints,
  )
})

describe('--format github', () => {
  const at = {
    path: 'events/a,b.yaml',
    start: { line: 2, column: 3, offset: 9 },
    end: { line: 2, column: 5, offset: 11 },
    keyPath: 'x',
  }
  const createFinding = (severity: Finding['severity'], message: string): Finding => ({
    code: 'EV202',
    slug: 's',
    severity,
    message,
    at,
    related: [],
    notes: [],
  })

  test('escapes characters that would end the command or a property', () => {
    expect(formatAsGithub([createFinding('error', '100%\nof: it')])).toBe(
      '::error file=events/a%2Cb.yaml,line=2,endLine=2,col=3,endColumn=5,title=EV202::100%25%0Aof: it',
    )
  })

  test('prints at most ten findings per severity, errors first, each group followed by the number omitted', () => {
    const lines = formatAsGithub([
      ...Array.from({ length: 3 }, () => createFinding('note', 'n')),
      ...Array.from({ length: 12 }, (_, i) => createFinding('error', `e${i}`)),
    ]).split('\n')
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      ...Array.from({ length: 10 }, () => '::error'),
      '2',
      ...Array.from({ length: 3 }, () => '::notice'),
    ])
  })

  test('prints the human-readable report after the annotations', async () => {
    breakFile()
    const { stdout } = await folder.rollcall(['validate', '--format', 'github'])
    expect(stdout).toMatch(
      /^::error file=events\/midzone2025\.yaml,line=\d+,[^\n]*title=EV104::[^]*\nerror\[EV104\]/,
    )
  })
})

describe('--fix', () => {
  test('applies the fixes to the file, and prints the number of edits', async () => {
    const validText = folder.read('events/midzone2025.yaml')
    breakFile()
    const { status, stderr } = await folder.rollcall(['validate', '--fix'])
    expect([status, stderr]).toEqual([0, 'events/midzone2025.yaml: 1 edit written.\n'])
    expect(folder.read('events/midzone2025.yaml')).toBe(validText)
  })

  test.each(readdirSync(oldKeysFolder))(
    'writes the new names of keys into %s, and causes no new findings',
    async (name) => {
      const file = join('events', name)
      folder.write(file, readFileSync(join(oldKeysFolder, name), 'utf8'))
      const resultBefore = await folder.rollcall(['validate', file, '--format', 'json'])
      const { status, stderr } = await folder.rollcall(['validate', file, '--fix'])
      const renameCount = listCodes(resultBefore.stdout).filter((code) => code === 'EV019').length
      expect([status, resultBefore.status]).toEqual([0, 0])
      expect(stderr).toBe(
        renameCount === 0
          ? ''
          : `${file}: ${renameCount} edit${renameCount === 1 ? '' : 's'} written.\n`,
      )
      const resultAfter = await folder.rollcall(['validate', file, '--format', 'json'])
      expect(listCodes(resultAfter.stdout)).toEqual(
        listCodes(resultBefore.stdout).filter((code) => code !== 'EV019'),
      )
    },
  )

  test('applies one of two overlapping fixes', () => {
    const createFix = (start: number, end: number, text: string): Finding => ({
      code: 'EV1',
      slug: '',
      severity: 'error',
      message: '',
      at: {
        path: '',
        start: { line: 1, column: 1, offset: 0 },
        end: { line: 1, column: 1, offset: 0 },
        keyPath: '',
      },
      related: [],
      notes: [],
      fix: { start, end, text },
    })
    expect(
      applyFixes('one two three', [
        createFix(4, 7, '2'),
        createFix(0, 3, '1'),
        createFix(5, 9, 'x'),
      ]),
    ).toEqual({
      text: '1 2 three',
      appliedCount: 2,
    })
  })
})

test('--watch validates again when a file changes', { tags: ['slow'] }, async () => {
  const child = spawn(process.execPath, [join(top, 'bin', 'rollcall.js'), 'validate', '--watch'], {
    cwd: folder.folder,
    env: { PATH: process.env['PATH'] ?? '' },
  })
  try {
    let stdout = ''
    const waitForOutput = (pattern: RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        const check = (chunk: unknown): void => {
          stdout += String(chunk)
          if (pattern.test(stdout)) resolve()
        }
        child.stdout.on('data', check)
        child.stderr.on('data', check)
        child.on('close', () => reject(new Error(`the command ended: ${stdout}`)))
      })
    await waitForOutput(/Watching/)
    breakFile()
    await waitForOutput(/EV104/)
  } finally {
    child.kill()
  }
})
