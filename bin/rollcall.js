#!/usr/bin/env node
/*
 * Plain old JavaScript on purpose: it has to run on a Node that is too old for the rest, to say so or
 * to hand over to the Node of the lockfile. No static import, so that it is read as either kind of module.
 */
;(function () {
  'use strict'
  var needed = [22, 18]
  var parts = process.versions.node.split('.')
  var major = Number(parts[0])
  var minor = Number(parts[1])
  var isNewEnough = major > needed[0] || (major === needed[0] && minor >= needed[1])

  if (isNewEnough) {
    Promise.all([import('module'), import('fs'), import('path')])
      .then(function (modules) {
        // What was compiled once is not compiled again: a command starts in half the time. Kept among
        // the packages, because nobody else may write there; where we may not either, it is not kept.
        var top = modules[2].join(
          modules[2].dirname(modules[1].realpathSync(process.argv[1])),
          '..',
        )
        var kept = modules[2].join(top, 'node_modules', '.cache', 'rollcall')
        if (modules[0].enableCompileCache) modules[0].enableCompileCache(kept)
        // Threads read it from here; without it each of them would strip and compile everything again.
        if (!process.env.NODE_COMPILE_CACHE) process.env.NODE_COMPILE_CACHE = kept
        return import('../server/cli/build/stamp.ts')
      })
      .then(function (stamp) {
        // One that was built from other sources is never used: then, and for a debugger, the sources themselves run.
        var isBuilt = !process.env.ROLLCALL_SOURCES && stamp.isUpToDate(stamp.SERVER_BUILD)
        return isBuilt ? import('../build/run-command.js') : import('../server/cli/run-command.ts')
      })
      .then(function (cli) {
        // `rollcall doctor | head` closes the pipe before everything is written.
        if (process.argv[2] !== 'start')
          process.stdout.on('error', function (error) {
            if (error.code !== 'EPIPE') throw error
            process.exit(0)
          })
        return cli.main(process.argv.slice(2))
      })
      .then(
        function (status) {
          process.exitCode = status
          // An internal error or a machine error can leave threads running; a stopped server can leave a connection to
          // a mail server that does not answer. Either would keep the process alive.
          if (status === 3 || status === 75 || process.argv[2] === 'start') process.exit(status)
        },
        function (error) {
          var code = error && error.code
          var isFew = code === 'EMFILE' || code === 'ENFILE'
          console.error(
            isFew
              ? 'Rollcall cannot open its own files, because too many files are open. Raise the limit: LimitNOFILE of the unit, or ulimit -n in a shell.'
              : error,
          )
          process.exit(isFew ? (process.argv[2] === 'start' ? 75 : 2) : 3)
        },
      )
    return
  }

  var tooOld =
    'Rollcall needs Node ' +
    needed.join('.') +
    ' or newer; this is Node ' +
    process.versions.node +
    '.\nInstall a newer Node, or run "npm ci" on Linux (x64 or arm64), which brings one.'
  // Numbers that every shell knows: 128 and the signal's own.
  var signals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 }
  Promise.all([import('fs'), import('child_process'), import('path'), import('os')]).then(
    function (modules) {
      var fs = modules[0]
      var child_process = modules[1]
      var path = modules[2]
      var here = path.dirname(fs.realpathSync(process.argv[1]))
      var own = path.join(
        here,
        '..',
        'node_modules',
        'node-' + process.platform + '-' + process.arch,
        'bin',
        'node',
      )
      var runs =
        !process.env.ROLLCALL_HANDED_OVER &&
        fs.existsSync(own) &&
        child_process.spawnSync(own, ['--version']).status === 0
      if (!runs) {
        console.error(tooOld)
        process.exitCode = 2
        return
      }
      var env = Object.assign({}, process.env, { ROLLCALL_HANDED_OVER: '1' })
      var child = child_process.spawn(
        own,
        [path.join(here, 'rollcall.js')].concat(process.argv.slice(2)),
        { stdio: 'inherit', env: env },
      )
      Object.keys(signals).forEach(function (signal) {
        process.on(signal, function () {
          child.kill(signal)
        })
      })
      child.on('error', function (error) {
        console.error(String(error))
        process.exit(3)
      })
      child.on('exit', function (status, signal) {
        process.exit(status === null ? 128 + (signals[signal] || 0) : status)
      })
    },
    function () {
      console.error(tooOld)
      process.exitCode = 2
    },
  )
})()
