/** Tells `npm run guards` of each test that ran, one line of JSON each: vitest's own reports leave out in what two values differ. */
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase } from 'vitest/node'

/** `failure` null: it passed. */
export type Told = {
  readonly file: string
  readonly name: string
  readonly failure: string | null
}

export default class LineReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result()
    if (result.state !== 'passed' && result.state !== 'failed') return
    const said = (result.errors ?? []).map(({ message, diff = '' }) => `${message}\n${diff}`)
    const told: Told = {
      file: test.module.moduleId,
      name: test.fullName,
      failure: result.state === 'passed' ? null : stripVTControlCharacters(said.join('\n')),
    }
    console.log(JSON.stringify(told))
  }
}
