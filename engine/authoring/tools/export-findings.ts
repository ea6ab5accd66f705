/** Exports findings as JSON, SARIF 2.1.0 and GitHub workflow commands. */
import { catalogue } from '../finding-catalogue.ts'
import type { Finding, Severity } from '../finding.ts'
import type { Place } from '../syntax/source.ts'
import { getOwn } from '../../lib/result.ts'

/** GitHub shows this many annotations per severity and step, and omits the others without notice. */
const MAX_GITHUB_ANNOTATIONS = 10
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note']

export function formatAsJson(findings: readonly Finding[], files: number): string {
  const count = (level: Severity): number =>
    findings.filter(({ severity }) => severity === level).length
  const toJsonLocation = ({ path, start, end, keyPath }: Place) => ({
    file: path,
    start,
    end,
    keyPath,
  })
  const diagnostics = findings.map(
    ({ code, slug, severity, message, at, notes, help, related, fix }) => ({
      code,
      slug,
      severity,
      ...toJsonLocation(at),
      message,
      notes,
      help: help ?? null,
      related: related.map((entry) => ({ message: entry.message, ...toJsonLocation(entry.at) })),
      ...(fix === undefined ? {} : { fix }),
    }),
  )
  return JSON.stringify(
    {
      version: 1,
      diagnostics,
      summary: { files, errors: count('error'), warnings: count('warning'), notes: count('note') },
    },
    null,
    2,
  )
}

/**
 * Formats the findings as one SARIF run. The fingerprint is the code and the dotted path, so that moving lines does not
 * reopen an alert.
 */
export function formatAsSarif(findings: readonly Finding[]): string {
  const codes = [...new Set(findings.map(({ code }) => code))].sort()
  const formatRegion = ({ start, end }: Place) => ({
    startLine: start.line,
    startColumn: start.column,
    endLine: end.line,
    endColumn: Math.max(end.column, end.line === start.line ? start.column + 1 : 1),
  })
  const formatArtifact = ({ path }: Place) => ({ uri: toUri(path) })
  const formatLocation = (at: Place) => ({
    physicalLocation: { artifactLocation: formatArtifact(at), region: formatRegion(at) },
  })
  const run = {
    tool: {
      driver: {
        name: 'rollcall',
        rules: codes.map((code) => ({
          id: code,
          name: getOwn(catalogue, code)?.slug ?? code,
          shortDescription: { text: getOwn(catalogue, code)?.why ?? code },
        })),
      },
    },
    columnKind: 'utf16CodeUnits',
    results: findings.map(({ code, severity, message, at, notes, help, related, fix }) => ({
      ruleId: code,
      level: severity,
      message: {
        text: [message, ...notes, ...(help === undefined ? [] : [`Help: ${help}`])].join('\n'),
      },
      locations: [formatLocation(at)],
      relatedLocations: related.map((entry, id) => ({
        id,
        ...formatLocation(entry.at),
        message: { text: entry.message },
      })),
      partialFingerprints: { 'codeAndPath/v1': `${code}:${at.keyPath}` },
      ...(fix === undefined
        ? {}
        : {
            fixes: [
              {
                description: { text: help ?? message },
                artifactChanges: [
                  {
                    artifactLocation: formatArtifact(at),
                    replacements: [
                      {
                        deletedRegion: { charOffset: fix.start, charLength: fix.end - fix.start },
                        insertedContent: { text: fix.text },
                      },
                    ],
                  },
                ],
              },
            ],
          }),
    })),
  }
  return JSON.stringify(
    { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] },
    null,
    2,
  )
}

/**
 * For each severity, most severe first, returns at most ten lines and the number of omitted findings.
 */
export function formatAsGithub(findings: readonly Finding[]): string {
  const commands = { error: 'error', warning: 'warning', note: 'notice' } as const satisfies Record<
    Severity,
    string
  >
  return SEVERITIES.flatMap((severity) => {
    const findingsOfSeverity = findings.filter((finding) => finding.severity === severity)
    const lines = findingsOfSeverity
      .slice(0, MAX_GITHUB_ANNOTATIONS)
      .map(({ code, message, at, notes, help }) => {
        const properties = {
          file: at.path,
          line: at.start.line,
          endLine: at.end.line,
          col: at.start.column,
          endColumn: at.end.column,
          title: code,
        }
        const fullText = [message, ...notes, ...(help === undefined ? [] : [`help: ${help}`])].join(
          '\n',
        )
        return `::${commands[severity]} ${Object.entries(properties)
          .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
          .join(',')}::${escapeData(fullText)}`
      })
    const omittedCount = findingsOfSeverity.length - lines.length
    return omittedCount > 0
      ? [
          ...lines,
          `${omittedCount} more ${severity}${omittedCount === 1 ? '' : 's'} below, not shown as annotations.`,
        ]
      : lines
  }).join('\n')
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function toUri(path: string): string {
  return path.split(/[\\/]/).map(encodeURIComponent).join('/')
}
