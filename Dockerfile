# docker build --tag leapfrog-arena .
# docs/howto/containers.md says how to use it. tests/arena/cli/test_container.py runs these steps.
FROM python:3.13-slim AS build
WORKDIR /build
RUN python -m venv --without-pip /opt/arena
COPY requirements/run.txt requirements/run.txt
RUN pip --python /opt/arena/bin/python install --no-cache-dir --require-hashes --requirement requirements/run.txt
COPY . .
RUN pip --python /opt/arena/bin/python install --no-cache-dir --no-deps .

FROM python:3.13-slim
# For `sandbox = "bwrap"`. Languages of engines are for an image of your own.
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 1000 --create-home arena && install --directory --owner arena --group arena /data
COPY --from=build /opt/arena /opt/arena
ENV PATH=/opt/arena/bin:/usr/local/bin:/usr/bin:/bin
# Any user may run the container, also one without a home folder.
ENV XDG_CACHE_HOME=/tmp/cache
USER arena
# Tournament files, engines and databases.
WORKDIR /data
VOLUME /data
# `arena serve` and `arena door run`
EXPOSE 8321
ENTRYPOINT ["arena"]
