# cmake -DMPIRUN=... -DPOLYFORM=... -DMODELS=... -DFOLDER=... -P study_ranks.cmake: a study under mpirun gives the same bytes
# as alone, trajectories too, and after a rank was killed it goes on.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
set(study ${POLYFORM} study ${MODELS}/double_pendulum.yaml --vary "bodies.rod1.mass=uniform(0.5,2)" --samples 60
  --vary "bodies.rod2.mass=0.7,-1" --quantity "end=final(j1.q)" --trajectories "j1.*" --duration 0.5 --quiet)
foreach(launcher alone ranks)
  set(start)
  if(launcher STREQUAL ranks)
    set(start ${MPIRUN} -n 4)
  endif()
  execute_process(COMMAND ${start} ${study} --output ${launcher}.csv WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the study ${launcher} ended with ${status}")
  endif()
endforeach()
file(READ ${FOLDER}/alone.csv alone)
file(READ ${FOLDER}/ranks.csv ranks)
if(NOT alone STREQUAL ranks)
  message(FATAL_ERROR "the tables differ")
endif()
if(NOT alone MATCHES "failed,[^\n]*the mass is negative")
  message(FATAL_ERROR "cases that fail are no rows")
endif()
file(SHA256 ${FOLDER}/alone.trajectories.h5 alone)
file(SHA256 ${FOLDER}/ranks.trajectories.h5 ranks)
if(NOT alone STREQUAL ranks)
  message(FATAL_ERROR "the trajectories differ")
endif()

# Where the study cannot begin, no rank waits for its cases.
execute_process(COMMAND ${MPIRUN} -n 3 ${study} --output no/such/folder.csv WORKING_DIRECTORY ${FOLDER}
  RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_QUIET)
if(NOT status EQUAL 2 OR NOT said MATCHES "no/such/folder")
  message(FATAL_ERROR "a study that cannot write ended with ${status}: ${said}")
endif()

# A rank is killed when some cases are done: the job ends, and the study goes on without it.
set(long ${POLYFORM} study ${MODELS}/double_pendulum.yaml --vary "bodies.rod1.mass=uniform(0.5,2)" --samples 300
  --quantity "end=final(j1.q)" --duration 12 --no-lanes --quiet)
file(WRITE ${FOLDER}/kill.sh [[
table=$1
shift
"$@" --output $table &
job=$!
tries=0
while [ "$(wc -l < $table.journal 2>/dev/null || echo 0)" -lt 6 ] && [ $tries -lt 3000 ]; do
  sleep 0.02
  tries=$((tries + 1))
done
kill -9 "$(ps -o pid= --ppid $job | tail -1)"
wait $job
]])
execute_process(COMMAND sh ${FOLDER}/kill.sh killed.csv ${MPIRUN} -n 3 ${long} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status
  OUTPUT_QUIET ERROR_QUIET)
file(STRINGS ${FOLDER}/killed.csv.journal rows)
list(LENGTH rows count)
if(status EQUAL 0 OR count GREATER 301)
  message(FATAL_ERROR "the job did not end with its rank: status ${status}, ${count} lines of the journal")
endif()
execute_process(COMMAND ${long} --output killed.csv --resume WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE resumed)
execute_process(COMMAND ${long} --output whole.csv WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE whole)
file(SHA256 ${FOLDER}/killed.csv killed_table)
file(SHA256 ${FOLDER}/whole.csv whole_table)
if(NOT resumed EQUAL 0 OR NOT whole EQUAL 0 OR NOT killed_table STREQUAL whole_table)
  message(FATAL_ERROR "the study that lost a rank did not go on to the same table: ${resumed}, ${whole}")
endif()

# Where the launcher lets a job go on without one of its ranks, the others do its cases.
execute_process(COMMAND sh ${FOLDER}/kill.sh outlived.csv ${MPIRUN} --enable-recovery -n 4 ${long}
  WORKING_DIRECTORY ${FOLDER} OUTPUT_VARIABLE said ERROR_VARIABLE said)
file(SHA256 ${FOLDER}/outlived.csv outlived_table)
if(NOT outlived_table STREQUAL whole_table OR NOT said MATCHES "is lost")
  message(FATAL_ERROR "the study did not outlive its rank: ${said}")
endif()
