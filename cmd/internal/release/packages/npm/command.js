// The path of the program: it is in the package for this platform, which npm installs beside this one.
const { name, version } = require('./package.json');

const here = `${name}-${process.platform}-${process.arch}`;
try {
  exports.command = require.resolve(`${here}/bin/aside${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  throw new Error(`${here}@${version} is not installed: npm leaves it out with --omit=optional, and there is none for platforms that ${name} does not know`);
}
