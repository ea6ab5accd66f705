/** The twelve lines of YAML in README.md result in the price that the README states. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readInstant } from '../../../engine/index.ts'
import { compileEvent, explainPrice, formatExplanation } from '../../../engine/authoring.ts'
import { sharedFiles, readSource } from '../event-files.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'README.md'), 'utf8')
const [, lines = '', printedText = ''] = /```yaml\n([^]*?)```[^]*?```\n([^]*?)```/.exec(page) ?? []

test('the README’s lines, inserted into the event file that it mentions, result in the stated price', () => {
  expect(lines.trimEnd().split('\n')).toHaveLength(12)
  const { path, text } = readSource('events/midzone2025.yaml')
  const eventText = text
    .replace(/^categories:\n[^]*?(?=\n# ── The form)/m, lines)
    .replace(/\nexamples:[^]*/, '')
  const event = compileEvent(eventText, sharedFiles, { path }).uncheckedEvent
  if (event === null) throw new Error('the event file is not valid')
  const priceTime = readInstant('2025-11-02')
  if (priceTime === null) throw new Error('the day cannot be read')
  const output = formatExplanation(event, explainPrice(event, { afpi_member: 'true' }, priceTime))
  expect(output.replaceAll('\u00a0', ' ')).toContain(
    printedText.trimEnd().replace(/ \(line \d+\)/, ''),
  )
  expect(printedText).toContain('total     ₹ 7,080')
})
