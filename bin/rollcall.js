#!/usr/bin/env node
/*
 * ES5 on purpose: this file must run on old versions of Node, to report that they are too old or to
 * run the bundled Node instead. It has no static imports, so it loads as both CommonJS and ESM.
 */
;(function () {
  'use strict'
  var minimumVersion = [22, 18]
  var parts = process.versions.node.split('.')
  var major = Number(parts[0])
  var minor = Number(parts[1])
  var isNewEnough =
    major > minimumVersion[0] || (major === minimumVersion[0] && minor >= minimumVersion[1])

  if (isNewEnough) {
    Promise.all([import('module'), import('fs'), import('path')])
      .then(function (modules) {
        // Caches compiled code, which halves the start time of a command. The cache is in node_modules, to
        // which only its owner can write. Without write access, nothing is cached.
        var rootDir = modules[2].join(
          modules[2].dirname(modules[1].realpathSync(process.argv[1])),
          '..',
        )
        var cacheDir = modules[2].join(rootDir, 'node_modules', '.cache', 'rollcall')
        if (modules[0].enableCompileCache) modules[0].enableCompileCache(cacheDir)
        // Threads get the folder from this variable; without it, each would compile all code again.
        if (!process.env.NODE_COMPILE_CACHE) process.env.NODE_COMPILE_CACHE = cacheDir
        return import('../server/cli/build/stamp.ts')
      })
      .then(function (stamp) {
        // Runs the sources if the build is outdated or a debugger needs them.
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
          // After an internal error or a fault of the machine, threads can still be running. A stopped server can still
          // have a connection to a mail server that does not respond. Either would keep the process alive.
          if (status === 3 || status === 75 || process.argv[2] === 'start') process.exit(status)
        },
        function (error) {
          var code = error && error.code
          var isFileLimitReached = code === 'EMFILE' || code === 'ENFILE'
          var missingPackage =
            code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package '([^']+)'/.exec(error.message)
          if (missingPackage) {
            console.error(
              'The package ' +
                missingPackage[1] +
                ' is not installed. Run "npm ci" in the Rollcall folder, or unpack the release again.',
            )
            process.exit(2)
          }
          console.error(
            isFileLimitReached
              ? 'Rollcall cannot open its own files, because too many files are open. Raise the limit: LimitNOFILE in the systemd unit, or ulimit -n in a shell.'
              : error,
          )
          process.exit(isFileLimitReached ? (process.argv[2] === 'start' ? 75 : 2) : 3)
        },
      )
    return
  }

  var versionMessage =
    'Rollcall needs Node ' +
    minimumVersion.join('.') +
    ' or newer; this is Node ' +
    process.versions.node +
    '.\nInstall a newer Node, or run "npm ci" on Linux (x64 or arm64), which includes one.'
  // Exit status by shell convention: 128 plus the signal number.
  var signals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 }
  Promise.all([import('fs'), import('child_process'), import('path'), import('os')]).then(
    function (modules) {
      var fs = modules[0]
      var child_process = modules[1]
      var path = modules[2]
      var binDir = path.dirname(fs.realpathSync(process.argv[1]))
      var bundledNode = path.join(
        binDir,
        '..',
        'node_modules',
        'node-' + process.platform + '-' + process.arch,
        'bin',
        'node',
      )
      var isUsable =
        !process.env.ROLLCALL_HANDED_OVER &&
        fs.existsSync(bundledNode) &&
        child_process.spawnSync(bundledNode, ['--version']).status === 0
      if (!isUsable) {
        console.error(versionMessage)
        process.exitCode = 2
        return
      }
      var env = Object.assign({}, process.env, { ROLLCALL_HANDED_OVER: '1' })
      var child = child_process.spawn(
        bundledNode,
        [path.join(binDir, 'rollcall.js')].concat(process.argv.slice(2)),
        { stdio: 'inherit', env },
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
      console.error(versionMessage)
      process.exitCode = 2
    },
  )
})()
