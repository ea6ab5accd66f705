/** How a long command shows its progress, in a terminal and in a log file. */
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { showProgress } from '../../../server/cli/progress-line.ts'
import { reportEach, reportProgress } from '../../../server/ops/progress.ts'
import { run, launcher } from '../run-command.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a stream that records its output. */
function openStream(isTTY: boolean): { stream: NodeJS.WriteStream; read: () => string } {
  const stream = new PassThrough()
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const members = { isTTY, columns: 120, cursorTo: () => true, clearLine: () => true }
  return {
    stream: Object.assign(stream, members) as unknown as NodeJS.WriteStream,
    read: () => text,
  }
}

const COPY_STEP = 'Copying files'

async function copyThreeFiles(): Promise<string> {
  for (const _ of reportEach([1, 2, 3], COPY_STEP));
  reportProgress({ step: 'Comparing tables', done: 1, total: 1_20_000 })
  return 'done'
}

test('the log of a nightly backup has one line for each step', async () => {
  const { stream, read } = openStream(false)
  expect(await showProgress({ progressStream: stream }, copyThreeFiles)).toBe('done')
  expect(read()).toBe('Copying files: 3\nComparing tables: 1,20,000\n')
})

test('a terminal shows the percentage and the count', async () => {
  const { stream, read } = openStream(true)
  await showProgress({ progressStream: stream }, copyThreeFiles)
  expect(read()).toContain('Copying files ░░░░░░░░░░░░░░░░░░░░ 0% · 0 of 3')
  expect(read()).toContain('Comparing tables ░░░░░░░░░░░░░░░░░░░░ 0% · 1 of 1,20,000')
})

test('no progress is shown after the command has ended or failed', async () => {
  const { stream, read } = openStream(false)
  const failure = new Error('the disk is full')
  await expect(
    showProgress({ progressStream: stream }, async () => Promise.reject(failure)),
  ).rejects.toBe(failure)
  await copyThreeFiles()
  expect(read()).toBe('')
})

test(
  'the rows that the database thread stores are reported in the main thread',
  { tags: ['slow'] },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-progress-'))
    const csv = join(folder, 'old.csv')
    writeFileSync(
      csv,
      'reg_no,full_name,registration_category,payment_status,created_at\nPULMO-2025-1,Dr. Example Old,apccm-member,pending,2025-07-30 18:30:00\n',
    )
    try {
      const { stderr, status } = run([launcher, 'registration', 'import', 'pulmocon2025', csv], {
        DATA_DIR: join(folder, 'data'),
      })
      expect({ stderr, status }).toEqual({
        stderr: 'Checking lines: 1\nStoring registrations: 1\n',
        status: 0,
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)
