/**
 * Writes Excel files in a worker thread.
 * Thousands of rows take a second, which would block the server's other requests.
 */
import { parentPort, workerData } from 'node:worker_threads'
import writeXlsxFile from 'write-excel-file/node'
import { assert, showDirectionMarks } from '../../../engine/index.ts'
import type { Sheet } from './write-excel.ts'

/** Returns the cell format of an amount: two decimal places, or three if the amount has three. */
const getNumberFormat = (value: number): string =>
  Number(value.toFixed(2)) === value ? '0.00' : '0.000'

assert(parentPort !== null, 'this module must run in a worker thread')
const writeFile = ({ head, rows }: Sheet): Promise<Uint8Array> =>
  writeXlsxFile(
    [
      head.map((value) => ({ value, type: String, fontWeight: 'bold' as const })),
      // A cell of type String is never a formula, and a long digit string keeps all digits.
      ...rows.map((row) =>
        row.map((value) =>
          value === ''
            ? null
            : typeof value === 'number'
              ? {
                  value,
                  type: Number,
                  ...(Number.isInteger(value) ? {} : { format: getNumberFormat(value) }),
                }
              : { value: showDirectionMarks(value), type: String },
        ),
      ),
    ],
    {
      stickyRowsCount: 1,
      columns: head.map((label) => ({ width: Math.max(14, label.length + 2) })),
    },
  ).toBuffer()

// Writes the files one after the other, because a large sheet needs a lot of memory while it is written.
const files: Uint8Array[] = []
for (const sheet of workerData as readonly Sheet[]) files.push(await writeFile(sheet))
parentPort.postMessage(files)
