/** Reports each test to `npm run guards` as JSON, including the diff that vitest's reporters omit. */
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase } from 'vitest/node'

/** `failure` is null if the test passed. */
export type TestReport = {
  readonly file: string
  readonly name: string
  readonly failure: string | null
}

export default class LineReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result()
    if (result.state !== 'passed' && result.state !== 'failed') return
    const messages = (result.errors ?? []).map(({ message, diff = '' }) => `${message}\n${diff}`)
    const report: TestReport = {
      file: test.module.moduleId,
      name: test.fullName,
      failure: result.state === 'passed' ? null : stripVTControlCharacters(messages.join('\n')),
    }
    console.log(JSON.stringify(report))
  }
}
